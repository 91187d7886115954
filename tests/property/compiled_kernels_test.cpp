/// \file
/// What follows from the compiled kernels of examples/coverage, by the analysis and by the
/// verifier, against the threads of executed launches of drawn shapes and arguments.

#include "assembly/binary/compressed.hpp"
#include "models/launch/warp_policy.hpp"
#include "tests/coverage/kernel_table.hpp"
#include "tests/support/campaign.hpp"
#include "tests/support/facts_of_threads.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace warpbound::tests {
namespace {

constexpr std::size_t words_of_a_buffer = 1U << 15U;
constexpr std::int64_t bytes_of_arguments = 128;
constexpr std::int64_t most_threads = 160;

std::string read_file(const std::filesystem::path& path) {
    std::ifstream in{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
}

std::int64_t first_argument(const std::string& target) {
    return target == "sm_90" ? 0x210 : 0x160;
}

/// Draws launches of compiled kernels with buffers, and what is stated of them.
class LaunchWriter {
public:
    LaunchWriter(RandomSource& random_source, const coverage::KernelCase& kernel)
        : random_{random_source}, kernel_{kernel} {}

    [[nodiscard]] std::optional<Executed> draw(const assembly::Program& program) {
        Executed made;
        const auto function = assembly::find_function(program, kernel_.kernel);
        if (!function) return std::nullopt; // E.g. a name that begins several.
        made.data.program.functions = {*function.value()};
        auto graph = assembly::build_control_flow_graph(made.data.function());
        if (!graph) return std::nullopt; // E.g. recursion.
        made.data.graph = std::move(graph.value());
        made.text = kernel_.file + "." + kernel_.target + " " + kernel_.kernel + " ";
        set_shape(made);
        set_arguments(made);
        return made;
    }

private:
    std::int64_t one_of(const std::vector<std::int64_t>& numbers) {
        return numbers.at(static_cast<std::size_t>(
            random_.whole(0, static_cast<std::int64_t>(numbers.size()) - 1)));
    }

    /// That of the table, or any small one.
    void set_shape(Executed& made) {
        auto& launch = made.data.launch;
        launch = models::parse_launch(kernel_.launch.at(1)).value();
        if (random_.whole(1, 3) > 1 || launch.threads > most_threads) {
            models::BlockShape shape;
            shape.threads = {one_of({1, 7, 16, 32, 33, 40, 64, 128}), one_of({1, 1, 2, 3}),
                             one_of({1, 1, 1, 2})};
            launch.shape = shape;
            launch.threads = shape.threads[0] * shape.threads[1] * shape.threads[2];
        }
        models::GridShape grid;
        grid.blocks = {one_of({1, 2, 3, 5}), one_of({1, 1, 2}), one_of({1, 1, 2})};
        launch.grid = grid;
        launch.blocks = grid.count();
        made.stated = launch;
        // Buffers of shared memory are as large as compiled for; drawn blocks may need more.
        if (launch.shared_memory)
            launch.shared_memory = std::max<std::int64_t>(*launch.shared_memory, 16384);
        made.stated.shared_memory = launch.shared_memory;
    }

    void set_arguments(Executed& made) {
        std::map<std::int64_t, std::string> given; // By offset; of pointers "multiple:256".
        for (std::size_t i = 3; i < kernel_.launch.size(); i += 2) {
            const std::string& text = kernel_.launch[i];
            const std::size_t equals = text.find('=');
            given[std::stoll(text.substr(0, equals), nullptr, 16)] = text.substr(equals + 1);
        }
        const std::int64_t base = first_argument(kernel_.target);
        for (std::int64_t offset = base; offset < base + bytes_of_arguments; offset += 4) {
            const auto known = given.find(offset);
            if (known != given.end() && known->second.starts_with("multiple")) {
                set_buffer(made, offset);
                offset += 4;
                continue;
            }
            const std::uint32_t word = drawn_word(known == given.end() ? "" : known->second);
            made.data.set(offset, word);
            if (random_.whole(1, 6) > 1) made.stated.arguments[offset] = {word, 32};
        }
    }

    std::uint32_t drawn_word(const std::string& of_table) {
        std::int64_t number = 0;
        std::from_chars(of_table.data(), of_table.data() + of_table.size(), number);
        switch (random_.whole(1, 8)) {
        case 1:
            return static_cast<std::uint32_t>(random_.whole(-3, 3));
        case 2:
        case 3:
            return static_cast<std::uint32_t>(one_of({4, 8, 16, 31, 32, 33, 64, 96, 100}));
        case 4:
            return static_cast<std::uint32_t>(std::min<std::int64_t>(number, 256));
        case 5:
            return std::bit_cast<std::uint32_t>(static_cast<float>(random_.real(-2, 4)));
        default:
            return static_cast<std::uint32_t>(random_.whole(0, 80));
        }
    }

    void set_buffer(Executed& made, std::int64_t offset) {
        std::vector<std::uint32_t> data(words_of_a_buffer);
        const bool is_real = random_.whole(1, 3) == 1;
        const std::int64_t largest = one_of({1, 5, 40, 300});
        for (std::uint32_t& word : data)
            word =
                is_real
                    ? std::bit_cast<std::uint32_t>(static_cast<float>(random_.whole(-64, 64)) / 16)
                    : static_cast<std::uint32_t>(random_.whole(0, largest));
        made.data.set(offset, fmt::format("at 0x{:x}", offset), data);
        const auto& words = made.data.launch.arguments;
        switch (random_.whole(1, 4)) {
        case 1:
            return;
        case 2:
            made.stated.arguments[offset] = words.at(offset);
            made.stated.arguments[offset + 4] = words.at(offset + 4);
            return;
        default:
            made.stated.arguments[offset] = {0, 8}; // A multiple of 256.
        }
    }

    RandomSource& random_;
    const coverage::KernelCase& kernel_;
};

/// Runs the kernel; false: it does not end soon, or leaves its buffers.
bool run_drawn(Executed& made) {
    constexpr std::int64_t limit = 5'000;
    auto executed = harness::execution::ExecutedLaunch::run(
        {&made.data.function(), &made.data.graph, made.data.launch, made.data.memory,
         made.data.constants, limit, &made.recorder});
    if (!executed) return false;
    made.run = std::move(executed.value());
    return true;
}

TEST_F(FactsOfThreads, HoldForExecutedLaunchesOfCompiledKernels) {
    const auto table =
        coverage::read_kernel_table(std::string{WARPBOUND_SOURCE_DIR} + "/examples/coverage");
    ASSERT_TRUE(table) << to_string(table.error());
    const std::map<std::string, std::string> machines{{"sm_75", "turing-t4"},
                                                      {"sm_80", "ampere-a100"},
                                                      {"sm_86", "ampere-rtxa6000"},
                                                      {"sm_90", "hopper-h200"}};
    std::map<std::string, models::Architecture> architectures;
    for (const auto& [target, name] : machines)
        architectures.emplace(target, narrow_machine(name));
    std::vector<coverage::KernelCase> kernels;
    for (const auto& kernel : table.value())
        if (architectures.count(kernel.target) != 0) kernels.push_back(kernel);
    std::map<std::string, assembly::Program> programs; // By path.
    const std::array<std::string, 4> policies{"unknown", "gto", "lrr", "two-level:active=2"};
    Counts counts;
    int drawn = 0;
    const auto cases = static_cast<int>(from_environment("WARPBOUND_PROPERTY_CASES", 60));
    for_seeds(cases, [&](RandomSource& random_source) {
        const auto& kernel = kernels.at(static_cast<std::size_t>(
            random_source.whole(0, static_cast<std::int64_t>(kernels.size()) - 1)));
        auto known = programs.find(kernel.listing.string());
        if (known == programs.end()) {
            constexpr std::size_t limit = std::size_t{64} << 20U;
            auto text = assembly::decompressed(read_file(kernel.listing), limit);
            ASSERT_TRUE(text) << to_string(text.error());
            auto program =
                assembly::read_program({kernel.listing.string(), std::move(text.value())});
            ASSERT_TRUE(program) << to_string(program.error());
            known = programs.emplace(kernel.listing.string(), std::move(program.value())).first;
        }
        auto made = LaunchWriter{random_source, kernel}.draw(known->second);
        if (!made) return;
        ++drawn;
        if (!run_drawn(*made)) return;
        SCOPED_TRACE(made->text + models::to_string(made->stated));
        function_ = &made->data.function();
        const auto& machine = architectures.at(kernel.target);
        check(*made, machine, counts);
        if (HasFatalFailure()) return;
        const std::string policy = policies.at(static_cast<std::size_t>(random_source.whole(0, 3)));
        check_times(*made, machine, policy,
                    static_cast<std::uint64_t>(random_source.whole(1, 1000)), counts);
    });
    fmt::print("{} drawn, {} executed, {} loops, {} by the verifier, {} never, {} relations, {} "
               "uniform, {} "
               "with representatives, {} accesses, {} timed, {} narrow\n",
               drawn, counts.launches, counts.loops, counts.loops_of_verifier, counts.nevers,
               counts.edges, counts.uniform, counts.represented, counts.accesses, counts.timed,
               counts.narrow);
    EXPECT_GT(counts.launches, cases / 3);
    EXPECT_GT(counts.timed, cases / 6);
}

} // namespace
} // namespace warpbound::tests
