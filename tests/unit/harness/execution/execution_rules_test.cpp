/// \file
/// Divergence and reconvergence, memory, barriers and refusals of executed code.

#include "harness/execution/semantics.hpp"
#include "harness/execution/trace_writer.hpp"
#include "harness/trace/recorded_trace.hpp"
#include "tests/support/executed_everyday.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/harness/execution/snippet.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace warpbound::tests {
namespace {

using harness::RecordedBlock;
using harness::RecordedStretch;
using testing::HasSubstr;

/// The stretches of the only warp as (first instruction, lanes).
std::vector<std::pair<std::uint32_t, std::uint32_t>> stretches_of(Snippet& snippet) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    const auto executed = snippet.execute();
    EXPECT_TRUE(executed) << to_string(executed.error());
    if (!executed) return found;
    const auto block = executed.value()->block(0);
    for (const RecordedStretch& stretch : block.value()->warps.front().stretches)
        found.emplace_back(stretch.first, stretch.lanes);
    return found;
}

std::string refusal_of(const std::string& code, std::int64_t threads = 32) {
    Snippet snippet = Snippet::whole(code, threads);
    const auto executed = snippet.execute();
    return executed ? "executed" : to_string(executed.error());
}

constexpr std::uint32_t all = 0xffffffffU;

TEST(ExecutedPaths, ReconvergeAtTheConvergenceBarrier) {
    Snippet snippet = Snippet::whole("S2R R0, SR_LANEID;\n"
                                     "ISETP.GE.AND P0, PT, R0, 0x8, PT;\n"
                                     "BSSY B0, join;\n"
                                     "@P0 BRA skip;\n"
                                     "IADD3 R1, R1, 0x1, RZ;\n"
                                     "skip: BSYNC B0;\n"
                                     "join: EXIT;\n");
    EXPECT_EQ(stretches_of(snippet), (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                                         {0, all}, {4, 0xff}, {5, 0xff}, {5, ~0xffU}, {6, all}}));
}

TEST(ExecutedPaths, ReconvergeAtThePostDominatorWhereNoBarrierIsNamed) {
    Snippet snippet = Snippet::whole("S2R R0, SR_LANEID;\n"
                                     "ISETP.GE.AND P0, PT, R0, 0x8, PT;\n"
                                     "@P0 BRA other;\n"
                                     "IADD3 R1, R1, 0x1, RZ;\n"
                                     "BRA join;\n"
                                     "other: IADD3 R1, R1, 0x2, RZ;\n"
                                     "join: EXIT;\n");
    EXPECT_EQ(stretches_of(snippet), (std::vector<std::pair<std::uint32_t, std::uint32_t>>{
                                         {0, all}, {3, 0xff}, {5, ~0xffU}, {6, all}}));
}

TEST(ExecutedPaths, LanesLeaveALoopOneAfterTheOther) {
    Snippet snippet = Snippet::whole("S2R R0, SR_LANEID;\n"
                                     "LOP3.LUT R0, R0, 0x3, RZ, 0xc0, !PT;\n"
                                     "loop: IADD3 R0, R0, -0x1, RZ;\n"
                                     "ISETP.GE.AND P0, PT, R0, RZ, PT;\n"
                                     "@P0 BRA loop;\n"
                                     "EXIT;\n");
    const auto found = stretches_of(snippet);
    ASSERT_GE(found.size(), 6U);
    EXPECT_EQ(found[2], (std::pair<std::uint32_t, std::uint32_t>{2, 0xeeeeeeee}));
    EXPECT_EQ(found[3], (std::pair<std::uint32_t, std::uint32_t>{2, 0xcccccccc}));
    EXPECT_EQ(found[4], (std::pair<std::uint32_t, std::uint32_t>{2, 0x88888888}));
    EXPECT_EQ(found.back(), (std::pair<std::uint32_t, std::uint32_t>{5, all}));
}

TEST(ExecutedPaths, GuardedExitEndsSomeLanes) {
    Snippet snippet = Snippet::whole("S2R R0, SR_LANEID;\nISETP.GT.AND P0, PT, R0, 0xf, PT;\n"
                                     "@P0 EXIT;\nNOP;\nEXIT;\n");
    EXPECT_EQ(stretches_of(snippet),
              (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{0, all}, {3, 0xffff}}));
}

TEST(ExecutedMemory, LocalWordsOfLanesLieSideBySide) {
    Snippet snippet{"MOV R1, c[0x0][0x28];\nIADD3 R1, R1, -0x10, RZ;\nSTL [R1+0x4], R4;\n"
                    "STL.U8 [R1+0x9], R5;\nLDL R12, [R1+0x4];\nLDL.U8 R13, [R1+0x9];\n"
                    "LDL R14, [R1+0x8];\n"};
    snippet.set_inputs({{0x12345678, 0xabcd}});
    EXPECT_EQ(snippet.run()[7], (LaneOutputWords{0x12345678, 0xcd, 0xcd00}));
}

TEST(ExecutedMemory, AtomicsOfLanesFollowEachOther) {
    Snippet snippet{"STS [RZ], RZ;\nATOMS.ADD R12, [RZ], R4;\nATOMS.MAX.S32 R13, [RZ+0x4], R4;\n"
                    "LDS R14, [RZ];\n"};
    snippet.set_inputs({{3}});
    const auto outputs = snippet.run();
    EXPECT_EQ(outputs[0], (LaneOutputWords{0, 0, 96}));
    EXPECT_EQ(outputs[5], (LaneOutputWords{15, 3, 96}));
}

TEST(ExecutedMemory, WarpsSeeWhatOthersStoredBeforeABarrier) {
    Snippet snippet{"STS [R0.X4], R4;\nBAR.SYNC 0x0;\n"
                    "LOP3.LUT R1, R0, 0x3f, RZ, 0x3c, !PT;\nLDS R12, [R1.X4];\n"
                    "MOV R13, R1;\nBAR.RED.POPC 0x0, PT;\nB2R.RESULT R14;\n",
                    64};
    for (std::uint32_t thread = 0; thread < 64; ++thread)
        snippet.set_input(thread, {1000 + thread});
    const auto outputs = snippet.run();
    for (std::uint32_t thread = 0; thread < 64; ++thread)
        EXPECT_EQ(outputs[thread], (LaneOutputWords{1063 - thread, 63 - thread, 64}));
}

TEST(ExecutedRefusals, NameAccessAndLane) {
    Snippet snippet{"ISETP.EQ.AND P0, PT, R0, 0x5, PT;\nIADD3 R2, R2, 0x1000, RZ;\n"
                    "@P0 LDG.E R12, [R2];\n"};
    const auto executed = snippet.execute();
    ASSERT_FALSE(executed);
    EXPECT_THAT(executed.error().what,
                AllOf(HasSubstr("LDG.E R12, [R2]"), HasSubstr("block 0,0,0, warp 0: lane 5"),
                      HasSubstr("reads 4 bytes"), HasSubstr("past the end of 'out'")));
    EXPECT_THAT(refusal_of("MOV R0, 0x2;\nLDS R1, [R0];\nEXIT;\n"), HasSubstr("no multiple of 4"));
}

TEST(ExecutedRefusals, NameEveryInstructionWithoutSemantics) {
    EXPECT_THAT(refusal_of("HMMA.1688.F32 R4, R8, R10, R4;\nMOV R1, R2;\n"
                           "TEX R4, R8, R12, 0x0, 2D, 0x1;\nEXIT;\n"),
                AllOf(HasSubstr("2 instructions"), HasSubstr("HMMA"), HasSubstr("0x0020 TEX"),
                      HasSubstr("can only be drawn (without --execute)")));
}

TEST(ExecutedRefusals, NameArgumentsAndBanksThatAreNotStated) {
    EXPECT_THAT(refusal_of("MOV R0, c[0x0][0x170];\nMOV R1, c[0x0][0x178];\nEXIT;\n"),
                AllOf(HasSubstr("--arg 0x170=VALUE"), HasSubstr("--arg 0x178=VALUE")));
    EXPECT_THAT(refusal_of("MOV R0, c[0x3][0x0];\nEXIT;\n"),
                HasSubstr("expected --constants 3=buffer:"));
}

TEST(ExecutedRefusals, NameEndlessWarpsAndPartialBarriers) {
    EXPECT_THAT(refusal_of("MOV R0, RZ;\nloop: ISETP.EQ.AND P0, PT, R0, RZ, PT;\n"
                           "@P0 BRA loop;\nEXIT;\n"),
                HasSubstr("issued 10000 instructions without ending"));
    EXPECT_THAT(refusal_of("S2R R0, SR_LANEID;\nISETP.NE.AND P0, PT, R0, RZ, PT;\n"
                           "@P0 BAR.SYNC 0x0;\nEXIT;\n"),
                HasSubstr("threads arrive individually"));
}

/// Everything that a replay reads.
void expect_equal(const RecordedBlock& found, const RecordedBlock& expected) {
    ASSERT_EQ(found.warps.size(), expected.warps.size());
    for (std::size_t warp = 0; warp < found.warps.size(); ++warp) {
        const auto& one = found.warps[warp];
        const auto& other = expected.warps[warp];
        ASSERT_EQ(one.stretches.size(), other.stretches.size());
        for (std::size_t i = 0; i < one.stretches.size(); ++i) {
            const RecordedStretch& a = one.stretches[i];
            const RecordedStretch& b = other.stretches[i];
            ASSERT_EQ(std::tie(a.block, a.first, a.last, a.lanes, a.transferred),
                      std::tie(b.block, b.first, b.last, b.lanes, b.transferred));
        }
        ASSERT_EQ(one.executing, other.executing);
        ASSERT_EQ(one.accesses.size(), other.accesses.size());
        for (std::size_t i = 0; i < one.accesses.size(); ++i)
            ASSERT_EQ(one.addresses(i, 4).address, other.addresses(i, 4).address);
    }
}

TEST(ExecutedTraces, AreImportedAsTheSameRecording) {
    const TemporaryFolder folder;
    for (const EverydayData& data : everyday_data()) {
        const auto launch = data_launch(data, "sm_75");
        ASSERT_TRUE(launch) << to_string(launch.error());
        const std::string path = (folder.path() / (data.kernel + ".traceg")).string();
        std::ofstream file{path};
        harness::execution::TraceWriter writer{[&](std::string_view text) -> Result<void> {
            file << text;
            return boost::outcome_v2::success();
        }};
        harness::execution::LaunchInputs inputs{&launch.value()->function(), &launch.value()->graph,
                                                launch.value()->launch, launch.value()->memory,
                                                launch.value()->constants};
        inputs.listener = &writer;
        // Nothing is kept in memory, so that blocks come from the temporary file.
        const auto executed = harness::execution::ExecutedLaunch::run(std::move(inputs), 0);
        ASSERT_TRUE(executed) << to_string(executed.error());
        file.close();
        auto bytes = harness::trace::TraceBytes::open(path);
        ASSERT_TRUE(bytes);
        const auto imported = harness::trace::RecordedTrace::open(
            std::move(bytes).value(),
            {&launch.value()->function(), &launch.value()->graph, data.kernel});
        ASSERT_TRUE(imported) << data.kernel << ": " << to_string(imported.error());
        EXPECT_EQ(imported.value()->instructions(), executed.value()->instructions());
        for (std::int64_t block = 0; block < launch.value()->launch.blocks; ++block) {
            SCOPED_TRACE(data.kernel);
            expect_equal(*imported.value()->block(block).value(),
                         *executed.value()->block(block).value());
        }
    }
}

TEST(ExecutedTraps, EndTheLaunchWhereALaneComesToOne) {
    const std::string code = "S2R R0, SR_LANEID;\n"
                             "ISETP.GE.AND P0, PT, R0, 0x8, PT;\n"
                             "@P0 BRA end;\n"
                             "BPT.TRAP 0x1;\n"
                             "end: EXIT;\n";
    EXPECT_THAT(refusal_of(code), HasSubstr("comes to a trap"));
    std::string unreached = code;
    unreached.replace(unreached.find("0x8"), 3, "0x0");
    EXPECT_EQ(refusal_of(unreached), "executed");
}

/// The program ended with an internal error where a row named another one.
TEST(SemanticsTables, NameOnlyModifiersThatAreKnown) {
    namespace execution = harness::execution;
    for (const auto& table : {execution::integer_semantics(), execution::logic_semantics(),
                              execution::compare_semantics(), execution::float_semantics(),
                              execution::double_semantics(), execution::half_semantics(),
                              execution::conversion_semantics(), execution::move_semantics(),
                              execution::warp_semantics(), execution::memory_semantics(),
                              execution::atomic_semantics(), execution::control_semantics()})
        for (const execution::SemanticsRow& row : table) {
            std::istringstream words{std::string{row.modifiers}};
            for (std::string word; words >> word;)
                EXPECT_TRUE(execution::find_modifier(word)) << row.mnemonics << " ." << word;
        }
}

} // namespace
} // namespace warpbound::tests
