// Thread traces of AMD: the files of a folder, and flow facts held against their wavefronts.

#include "assembly/isa/program.hpp"
#include "assembly/isa/reader.hpp"
#include "harness/trace/thread_trace.hpp"
#include "harness/trace/thread_trace_match.hpp"
#include "tests/support/temporary_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::harness::trace {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

const std::filesystem::path recorded =
    std::filesystem::path{WARPBOUND_SOURCE_DIR} / "tests/data/amd/ui_output_agent_1_dispatch_1";

const std::string code_text = R"({"code": [
    ["; kernel", 0, 0, "", 7, 256, 0, 0, 0, 0],
    ["s_nop 0", 0, 1, "a.cpp:3", 7, 256, 1, 4, 0, 0],
    ["s_endpgm", 0, 2, "", 7, 260, 1, 4, 0, 0]]})";

ThreadTraceCode code() {
    return read_thread_trace_code({"code.json", code_text}).value();
}
std::string wave_text(const std::string& instructions) {
    return R"({"wave": {"begin": 10, "end": 30, "instructions": )" + instructions + "}}";
}
Result<ThreadTraceWave> read_wave(const std::string& text) {
    return read_thread_trace_wave({"folder/wave.json", text}, code());
}

TEST(ThreadTrace, IsReadFromAFolder) {
    ASSERT_TRUE(is_thread_trace(recorded));
    EXPECT_FALSE(is_thread_trace(recorded.parent_path()));
    const auto trace = read_thread_trace(recorded);
    ASSERT_TRUE(trace) << to_string(trace.error());
    EXPECT_EQ(trace.value().processor, 9);
    ASSERT_EQ(trace.value().waves.size(), 4U);
    EXPECT_EQ(trace.value().waves[1].steps.size(), 7U);
    ASSERT_EQ(trace.value().code.kernels.size(), 1U);
    EXPECT_EQ(trace.value().code.kernels[0].address, 0x1d00);
    const auto times = instruction_times(trace.value(), 0);
    ASSERT_GT(times.size(), 20U);
    EXPECT_EQ(times[2].address, 0x10);
    EXPECT_EQ(times[2].text, "s_waitcnt lgkmcnt(0)");
    EXPECT_EQ(times[2].duration.least, 44);
    EXPECT_EQ(times[2].duration.most, 164);
    EXPECT_EQ(times[2].stall.sum, 40 + 80 + 120 + 160);
}

TEST(ThreadTrace, RefersToInstructionsByLineNumber) {
    const auto wave =
        read_wave(wave_text("[[10, 9, 0, 4, 1], [14, 9, 2, 6, 2], [20, 2, 0, 4, 0]]"));
    ASSERT_TRUE(wave) << to_string(wave.error());
    EXPECT_EQ(wave.value().file, "wave.json");
    ASSERT_EQ(wave.value().steps.size(), 3U);
    EXPECT_EQ(code().instructions.at(wave.value().steps[1].instruction.value()).offset, 4);
    EXPECT_EQ(wave.value().steps[1].stall, 2);
    EXPECT_EQ(wave.value().steps[2].instruction, std::nullopt);
    EXPECT_TRUE(read_wave(wave_text("null")).value().steps.empty());
}

TEST(ThreadTrace, SaysWhereAWavefrontIsAndWhatItExecutes) {
    const auto wave = read_wave(R"({"name": "SE2", "wave": {"begin": 10, "end": 30, "simd": 3, )"
                                R"("slot": 7, "instructions": [[10, 6, 8, 12, 1], )"
                                R"([22, 99, 0, 4, 2]]}})");
    ASSERT_TRUE(wave) << to_string(wave.error());
    EXPECT_EQ(wave.value().engine, "SE2");
    EXPECT_EQ(wave.value().simd, 3);
    EXPECT_EQ(wave.value().slot, 7);
    ASSERT_EQ(wave.value().steps.size(), 2U);
    EXPECT_EQ(wave.value().steps[0].category, ThreadTraceCategory::Vector);
    EXPECT_EQ(wave.value().steps[0].issue(), 18);
    EXPECT_EQ(wave.value().steps[1].category, ThreadTraceCategory::None);
}

TEST(ThreadTrace, OfDamagedWavefrontsIsRefusedWithThePlace) {
    for (const char* entry : {"[14, 9, 0, 4]", "[14, 9, -1, 4, 1]", "[14, 9, 0, 4.5, 1]", "7",
                              "[14, 9, 0, 4, -1]", "[14, 9, 0, 4294967296, 1]"}) {
        const auto wave = read_wave(wave_text("[[10, 9, 0, 4, 1], " + std::string{entry} + "]"));
        ASSERT_FALSE(wave) << entry;
        EXPECT_THAT(to_string(wave.error()),
                    StartsWith("folder/wave.json: /wave/instructions/1: expected five"));
    }
    EXPECT_THAT(read_wave(R"({"wave": {"begin": 9, "end": 8, "instructions": []}})").error().what,
                HasSubstr("/wave/end: lies before begin"));
    EXPECT_EQ(read_wave("{\"wave\":\n {").error().line, 2);
    EXPECT_THAT(read_wave("{}").error().what, HasSubstr("/wave: is missing"));
}

TEST(ThreadTrace, OfDamagedCodeIsRefusedWithThePlace) {
    const auto refusal = [](const std::string& text) {
        return to_string(read_thread_trace_code({"code.json", text}).error());
    };
    EXPECT_THAT(refusal(R"({"code": [["s_nop 0", 0, 1]]})"),
                HasSubstr("code.json: /code/0: expected 10 columns"));
    EXPECT_THAT(refusal(R"({"code": [["s_nop 0", 0, 1, "", 0, "x", 0, 0, 0, 0]]})"),
                HasSubstr("/code/0/5: expected a whole number"));
    // Code without the name of its kernel has no place in it.
    EXPECT_THAT(refusal(R"({"code": [["s_nop 0", 0, 1, "", 0, 4, 0, 0, 0, 0]]})"),
                HasSubstr("/code: no kernel with instructions"));
}

TEST(ThreadTrace, HasWavefrontsInItsFolderOnly) {
    const auto read = [](const std::string& names) {
        return read_thread_trace_files({"filenames.json", R"({"wave_filenames": )" + names + "}"});
    };
    EXPECT_EQ(read(R"({"0": {"1": {"2": {"0": ["w.json", 1, 2]}}}})").value().waves,
              std::vector<std::string>{"w.json"});
    EXPECT_THAT(read("null").error().what, HasSubstr("no wavefront was traced"));
    for (const char* name : {"../w.json", "/etc/passwd", ""})
        EXPECT_THAT(
            read(R"({"0": {"1": {"2": {"0": [")" + std::string{name} + R"(", 1, 2]}}}})")
                .error()
                .what,
            HasSubstr("/wave_filenames/0/1/2/0/0: expected the name of a file in the folder"));
    for (const char* damaged : {"[]", "[1]", R"({"0": 1})", R"({"0": {"1": {"2": {"0": 5}}}})"})
        EXPECT_FALSE(read(damaged)) << damaged;
}

TEST(ThreadTrace, WithAMissingFileIsRefused) {
    const tests::TemporaryFolder folder;
    for (const auto& entry : std::filesystem::directory_iterator{recorded})
        std::filesystem::copy(entry.path(), folder.path());
    ASSERT_TRUE(read_thread_trace(folder.path()));
    std::filesystem::remove(folder.path() / "se0_sm2_sl0_wv0.json");
    EXPECT_THAT(to_string(read_thread_trace(folder.path()).error()),
                HasSubstr("se0_sm2_sl0_wv0.json"));
}

/// A kernel with a loop: 0x0000 .. 0x00f0, header 0x0100 to 0x0130, then 0x0140 and 0x0150 (exit).
class ThreadTraceFacts : public testing::Test {
protected:
    ThreadTraceFacts()
        : program_{assembly::read_program(
                       assembly::read_source(WARPBOUND_SOURCE_DIR "/examples/saxpy/sm_75.sass")
                           .value())
                       .value()},
          function_{&program_.functions.front()},
          graph_{assembly::build_control_flow_graph(*function_).value()} {
        trace_.code.file = "code.json";
        trace_.code.kernels.push_back({function_->name, 1, 0x1000});
        for (const auto& instruction : function_->instructions)
            trace_.code.instructions.push_back({assembly::opcode_text(instruction) + " operands",
                                                "", instruction.address, 0,
                                                trace_.code.instructions.size() + 1});
        trace_.waves.push_back({"w.json", 0, 0, {}});
    }

    void execute(std::int64_t first, std::int64_t last) {
        for (std::int64_t address = first; address <= last; address += function_->step)
            trace_.waves.back().steps.push_back({0, 4, 0, function_->index_of(address).value()});
    }
    void iterate(int times) {
        for (int iteration = 0; iteration < times; ++iteration)
            execute(0x100, 0x130);
    }
    FactCheck loop(std::int64_t min, std::int64_t max) {
        facts_ = {};
        facts_.loops.push_back({.header = 0x100, .min = min, .max = max, .from = {}});
        return check_facts(trace_, 0, {function_, &graph_, &facts_, {1, 32}}).at(0);
    }

    assembly::Program program_;
    const assembly::Function* function_;
    assembly::ControlFlowGraph graph_;
    models::FlowFacts facts_;
    ThreadTrace trace_;
};

TEST_F(ThreadTraceFacts, CountIterationsOfEachWavefront) {
    execute(0, 0xf0);
    iterate(3);
    execute(0x140, 0x150);
    EXPECT_EQ(loop(1, 3).refuted_by, std::nullopt);
    EXPECT_EQ(loop(1, 3).cases, 1);
    EXPECT_EQ(loop(1, 3).open, 0);
    // 16 instructions, then two iterations of four.
    EXPECT_EQ(loop(1, 2).refuted_by, "w.json: /wave/instructions/24: executes its header 3 times");
    EXPECT_EQ(loop(4, 9).refuted_by, "w.json: /wave/instructions/24: executes its header 3 times");
}

TEST_F(ThreadTraceFacts, LeaveTraversalsAroundGapsOpen) {
    execute(0, 0xf0);
    iterate(2);
    execute(0x120, 0x130); // the beginning of an iteration is lost
    iterate(1);
    execute(0x140, 0x150);
    EXPECT_EQ(loop(3, 9).refuted_by, std::nullopt);
    EXPECT_EQ(loop(3, 9).open, 2);
    EXPECT_THAT(loop(1, 1).refuted_by.value(), HasSubstr("executes its header at least 2 times"));
}

TEST_F(ThreadTraceFacts, OfATraceThatBeginsOrEndsInTheLoopAreLeftOpen) {
    iterate(2);
    EXPECT_EQ(loop(3, 9).refuted_by, std::nullopt);
    EXPECT_EQ(loop(3, 9).open, 1);
    EXPECT_TRUE(loop(0, 1).refuted_by);
}

TEST_F(ThreadTraceFacts, AreRefutedByExecutedBlocks) {
    execute(0, 0xf0);
    iterate(1);
    execute(0x140, 0x150);
    facts_.nevers = {{0x100, {}}, {0x140, {}}};
    facts_.exclusives = {{0x100, 0x140, {}}};
    const auto checks = check_facts(trace_, 0, {function_, &graph_, &facts_, {1, 32}});
    ASSERT_EQ(checks.size(), 3U);
    EXPECT_EQ(checks[0].refuted_by, "w.json: /wave/instructions/16: executes it");
    EXPECT_EQ(checks[1].refuted_by, "w.json: /wave/instructions/20: executes it");
    EXPECT_EQ(checks[2].refuted_by, "w.json: /wave/instructions/20: executes both");
}

TEST_F(ThreadTraceFacts, NeedTheSameBuild) {
    execute(0, 0xf0);
    EXPECT_TRUE(match_thread_trace(trace_, 0, *function_));
    trace_.code.instructions[3].text = "s_other 1";
    EXPECT_THAT(to_string(match_thread_trace(trace_, 0, *function_).error()),
                AllOf(StartsWith("code.json: /code/4: 's_other 1' at 0x0030"),
                      HasSubstr("the trace is of another build")));
    EXPECT_THAT(find_traced_kernel(trace_, "none").error().what,
                HasSubstr("has no kernel none; it has " + function_->name));
}

TEST_F(ThreadTraceFacts, RefuseExecutedInstructionsThatTheCodeLacks) {
    trace_.code.instructions.push_back({"s_nop 0", "", 0x4000, 0, 99});
    EXPECT_TRUE(match_thread_trace(trace_, 0, *function_)); // padding
    trace_.waves.back().steps.push_back({0, 4, 0, trace_.code.instructions.size() - 1});
    EXPECT_THAT(
        match_thread_trace(trace_, 0, *function_).error().what,
        HasSubstr("at 0x4000 of " + function_->name + ", where the code has no instruction"));
}

TEST(ThreadTraceCorpus, IsReadOrRefused) {
    int read = 0;
    for (const auto& file : std::filesystem::directory_iterator{
             WARPBOUND_SOURCE_DIR "/tests/fuzz/corpus/thread_trace"}) {
        const auto source = assembly::read_source(file.path().string()).value();
        const ThreadTraceCode known = code();
        read += read_thread_trace_files(source) ? 1 : 0;
        read += read_thread_trace_code(source) ? 1 : 0;
        read += read_thread_trace_wave(source, known) ? 1 : 0;
    }
    EXPECT_EQ(read, 3);
}

} // namespace
} // namespace warpbound::harness::trace
