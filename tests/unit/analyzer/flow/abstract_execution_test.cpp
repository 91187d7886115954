#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/flow/thread_facts.hpp"
#include "analyzer/value/kernel_parameters.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <string>

namespace warpbound::analyzer {
namespace {

/// "min..max" of each loop, "?" where there is no bound; then the blocks that are never executed.
std::string executed(const std::string& body, const models::Launch& launch = {1, 32},
                     const KernelParameters& words = {}) {
    const auto context = analyzed(body, {}, "turing-t4", 75);
    const auto code = with_parameters(*context->request.function, words);
    const auto threads =
        derive_thread_facts(*context->request.function, context->graph, block_shape_of(launch),
                            context->architecture, {}, words);
    const AbstractRun run = execute_abstractly(code, context->graph, launch, threads.shared);
    std::string text;
    for (const auto& loop : run.loops)
        text += (text.empty() ? "" : " ") +
                (loop ? fmt::format("{}..{}", loop->min, loop->max) : std::string{"?"});
    for (std::size_t block = 0; block < run.reached.size(); ++block)
        if (!run.reached[block])
            text += fmt::format(" -{:#06x}", context->graph.blocks[block].address);
    return text;
}

TEST(AbstractExecution, BoundsShiftLoops) {
    EXPECT_EQ(executed("MOV R3, 0x80; L: SHF.R.U32.HI R3, RZ, 0x1, R3; "
                       "ISETP.NE.AND P1, PT, R3, RZ, PT; @P1 BRA L; EXIT;"),
              "8..8");
    EXPECT_EQ(executed("UMOV UR4, 0x1; L: USHF.L.U32 UR4, UR4, 0x1, URZ; "
                       "ISETP.LE.AND P1, PT, 0x200, UR4, PT; @!P1 BRA L; EXIT;"),
              "9..9");
}

// A sorting network: the inner loop's iterations depend on the outer one.
TEST(AbstractExecution, BoundsNestedLoopsByAllTheirEntries) {
    EXPECT_EQ(executed("MOV R0, 0x2; K: MOV R4, R0; J: MOV R6, R4; SHF.R.S32.HI R4, RZ, 0x1, R4; "
                       "ISETP.GT.AND P0, PT, R6, 0x3, PT; @P0 BRA J; SHF.L.U32 R0, R0, 0x1, RZ; "
                       "ISETP.GT.AND P0, PT, R0, 0x200, PT; @!P0 BRA K; EXIT;"),
              "9..9 1..9");
}

// The compiler unrolls by 4 and keeps the remainder: 18 iterations are 4 rounds and 2 more.
TEST(AbstractExecution, FollowsUnrolledLoopsWithParameters) {
    const std::string code =
        "IADD3 R0, RZ, c[0x0][0x160], RZ; LOP3.LUT R5, R0, 0x3, RZ, 0xc0, !PT; "
        "IADD3 R6, R0, -0x1, RZ; ISETP.GE.U32.AND P1, PT, R6, 0x3, PT; @!P1 BRA M; "
        "IADD3 R0, R0, -R5, RZ; L: IADD3 R0, R0, -0x4, RZ; ISETP.NE.AND P0, PT, R0, RZ, PT; "
        "@P0 BRA L; M: ISETP.NE.AND P0, PT, R5, RZ, PT; @!P0 EXIT; "
        "N: IADD3 R5, R5, -0x1, RZ; ISETP.NE.AND P0, PT, R5, RZ, PT; @P0 BRA N; EXIT;";
    EXPECT_EQ(executed(code, {1, 32}, {{0x160, {18, 32}}}), "4..4 2..2");
    EXPECT_EQ(executed(code, {1, 32}, {{0x160, {16, 32}}}), "4..4 ? -0x00b0 -0x00e0");
    EXPECT_EQ(executed(code, {1, 32}, {{0x160, {3, 32}}}), "? 3..3 -0x0050 -0x0060");
}

// Threads of a grid take 1000 elements in strides of 256: three or four each.
TEST(AbstractExecution, BoundsStridedLoopsByTheRangesOfTheLaunch) {
    EXPECT_EQ(executed("S2R R0, SR_CTAID.X; S2R R3, SR_TID.X; IMAD R2, R0, 0x80, R3; "
                       "L: IADD3 R2, R2, 0x100, RZ; ISETP.GE.AND P0, PT, R2, 0x3e8, PT; "
                       "@!P0 BRA L; EXIT;",
                       {2, 128}),
              "3..4");
}

TEST(AbstractExecution, HasNoBoundWhereDataDecides) {
    EXPECT_EQ(executed("MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; LDG.E R4, [R6]; "
                       "ISETP.NE.AND P0, PT, R4, RZ, PT; @P0 BRA L; EXIT;"),
              "?");
    // A counter beside the data still bounds the loop.
    EXPECT_EQ(executed("MOV R2, RZ; L: IADD3 R2, R2, 0x1, RZ; LDG.E R4, [R6]; "
                       "ISETP.NE.AND P0, PT, R4, RZ, PT; ISETP.LT.AND P0, PT, R2, 0x7, P0; "
                       "@P0 BRA L; EXIT;"),
              "1..7");
}

// Two votes in one basic block see the same active lanes.
TEST(AbstractExecution, KnowsThatTheActiveLanesStayTheSameInABlock) {
    const std::string vote = "L: VOTE.ANY R3, PT, PT; ";
    const std::string rest =
        "VOTEU.ANY UR4, UPT, PT; LOP3.LUT P0, RZ, R3, UR4, RZ, 0xc, !PT; @P0 BRA L; EXIT;";
    EXPECT_EQ(executed(vote + rest), "1..1");
    EXPECT_EQ(executed(vote + "@P1 BRA M; M: " + rest), "?");
}

// A lane that waits finds in a uniform register what others wrote.
TEST(AbstractExecution, KnowsUniformRegistersOnlyWhereNoLaneWaits) {
    const std::string head = "UMOV UR4, 0x1; L: LDG.E R9, [R6]; ISETP.NE.AND P2, PT, R9, RZ, PT; "
                             "BSSY B0, D; @P2 BRA D; ";
    const std::string tail = "ISETP.LE.AND P1, PT, 0x20, UR4, PT; @!P1 BRA L; EXIT;";
    EXPECT_EQ(executed(head + "NOP; D: BSYNC B0; USHF.L.U32 UR4, UR4, 0x1, URZ; " + tail), "5..5");
    EXPECT_EQ(executed(head + "USHF.L.U32 UR4, UR4, 0x1, URZ; D: BSYNC B0; " + tail), "?");
}

} // namespace
} // namespace warpbound::analyzer
