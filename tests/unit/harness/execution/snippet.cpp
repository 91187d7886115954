#include "tests/unit/harness/execution/snippet.hpp"

#include "assembly/isa/reader.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <limits>

namespace warpbound::tests {

namespace {

constexpr std::int64_t input_argument = 0x160;
constexpr std::int64_t output_argument = 0x168;

std::string framed(const std::string& code) {
    return "S2R R0, SR_TID.X;\n"
           "IMAD.SHL.U32 R1, R0, 0x20, RZ;\n"
           "IADD3 R2, P0, R1, c[0x0][0x160], RZ;\n"
           "IADD3.X R3, RZ, c[0x0][0x164], RZ, P0, !PT;\n"
           "LDG.E.128 R4, [R2];\n"
           "LDG.E.128 R8, [R2+0x10];\n" +
           code +
           "IMAD.MOV.U32 R3, RZ, RZ, 0x10;\n"
           "IMAD.WIDE R2, R0, R3, c[0x0][0x168];\n"
           "STG.E.128 [R2], R12;\n"
           "EXIT;\n";
}

} // namespace

Snippet::Snippet(const std::string& code, std::int64_t threads) : threads_{threads} {
    read(framed(code));
}

Snippet Snippet::whole(const std::string& code, std::int64_t threads) {
    Snippet snippet;
    snippet.threads_ = threads;
    snippet.read(code);
    return snippet;
}

void Snippet::read(const std::string& text) {
    auto program = assembly::read_program({"snippet", ".target sm_75\n" + text});
    ASSERT_TRUE(program) << to_string(program.error());
    program_ = std::move(program).value();
    auto graph = assembly::build_control_flow_graph(program_.functions.front());
    ASSERT_TRUE(graph) << to_string(graph.error());
    graph_ = std::move(graph).value();
}

void Snippet::set_inputs(const std::vector<LaneInputWords>& words) {
    for (std::size_t lane = 0; lane < inputs_.size(); ++lane)
        inputs_[lane] = words[lane % words.size()];
}

Result<std::unique_ptr<harness::execution::ExecutedLaunch>>
Snippet::execute(std::int64_t instruction_limit) {
    harness::execution::LaunchInputs launch{&program_.functions.front(), &graph_, {}, {}};
    launch.launch.threads = threads_;
    launch.instruction_limit = instruction_limit;
    const auto add = [&](std::int64_t offset, const char* name, std::size_t bytes,
                         const void* contents) {
        harness::execution::Buffer buffer;
        buffer.name = name;
        buffer.bytes.resize(bytes);
        if (contents != nullptr) std::memcpy(buffer.bytes.data(), contents, bytes);
        const std::uint64_t base = launch.memory.add(std::move(buffer));
        launch.launch.arguments[offset] = {static_cast<std::uint32_t>(base), 32};
        launch.launch.arguments[offset + 4] = {static_cast<std::uint32_t>(base >> 32U), 32};
    };
    add(input_argument, "in", inputs_.size() * sizeof(LaneInputWords), inputs_.data());
    add(output_argument, "out", inputs_.size() * sizeof(LaneOutputWords), nullptr);
    return harness::execution::ExecutedLaunch::run(std::move(launch));
}

std::vector<LaneOutputWords> Snippet::run() {
    const auto executed = execute();
    std::vector<LaneOutputWords> outputs(inputs_.size());
    EXPECT_TRUE(executed) << to_string(executed.error());
    if (!executed) return outputs;
    const auto& bytes = executed.value()->memory().buffers().back().bytes;
    std::memcpy(outputs.data(), bytes.data(), bytes.size());
    return outputs;
}

std::vector<LaneInputWords> edge_words() {
    const std::vector<std::uint32_t> values{0,          1,          2,          31,
                                            32,         33,         0x7fffffff, 0x80000000,
                                            0xffffffff, 0xfffffffe, 0x12345678, 0xdeadbeef};
    std::vector<LaneInputWords> words;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        LaneInputWords of_lane{};
        for (std::size_t i = 0; i < of_lane.size(); ++i)
            of_lane[i] = values[(lane * (2 * i + 1) + i * i) % values.size()];
        words.push_back(of_lane);
    }
    return words;
}

std::vector<LaneInputWords> edge_floats() {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const std::vector<float> values{0.0F,
                                    -0.0F,
                                    1.0F,
                                    -1.5F,
                                    3.0F,
                                    1e-40F,
                                    -1e-45F,
                                    3.4e38F,
                                    infinity,
                                    -infinity,
                                    std::numeric_limits<float>::quiet_NaN(),
                                    0.1F,
                                    16777217.0F};
    std::vector<LaneInputWords> words;
    for (std::size_t lane = 0; lane < 32; ++lane) {
        LaneInputWords of_lane{};
        for (std::size_t i = 0; i < of_lane.size(); ++i)
            of_lane[i] =
                std::bit_cast<std::uint32_t>(values[(lane * (2 * i + 1) + i * i) % values.size()]);
        words.push_back(of_lane);
    }
    return words;
}

} // namespace warpbound::tests
