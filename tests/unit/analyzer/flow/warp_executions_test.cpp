/// \file
/// How often the warps of a block may execute instructions with a guard (S85).

#include "analyzer/flow/warp_executions.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Of each warp, for the instruction at this index.
std::vector<std::int64_t> counts_at(std::size_t instruction, const std::string& body,
                                    const models::Launch& launch,
                                    const models::FlowFacts& facts = {}) {
    const auto all = analyzed(body, facts, "turing-t4", 75);
    std::vector<bool> counted(all->request.function->instructions.size(), false);
    counted[instruction] = true;
    std::vector<std::int64_t> counts;
    for (const ExecutionCounts& of_warp :
         executions_by_warp(*all->request.function, all->graph, facts, launch, 32, counted))
        counts.push_back(of_warp[instruction]);
    return counts;
}

/// Threads below a limit that is halved from 64 on.
const std::string tree = "S2R R0, SR_TID.X ?trans6; MOV R3, 0x40 ?trans6; "
                         "L: ISETP.GE.AND P1, PT, R0, R3, PT ?trans6; "
                         "@!P1 LDS R4, [R1] ?trans6; SHF.R.U32.HI R3, RZ, 0x1, R3 ?trans6; "
                         "ISETP.NE.AND P2, PT, R3, RZ, PT ?trans6; @P2 BRA L ?trans6; "
                         "EXIT ?trans6;";

TEST(WarpExecutions, FollowTheLimitOfATree) {
    EXPECT_THAT(counts_at(3, tree, {1, 128}), ElementsAre(7, 1, 0, 0));
}

TEST(WarpExecutions, LeaveOutWhatIsBehindAnEarlyEnd) {
    const std::string first = "S2R R0, SR_TID.X ?trans6; ISETP.NE.AND P0, PT, R0, RZ, PT ?trans6; "
                              "@P0 EXIT ?trans6; LDS R4, [R1] ?trans6; EXIT ?trans6;";
    EXPECT_THAT(counts_at(3, first, {9, 96}), ElementsAre(1, 0, 0));
}

// Warps of two rows of 16 threads each.
TEST(WarpExecutions, KnowTheRowsOfAWarp) {
    models::Launch launch{1, 128};
    const std::string rows = "S2R R0, SR_TID.Y ?trans6; ISETP.LT.AND P0, PT, R0, 0x3, PT ?trans6; "
                             "@P0 LDS R4, [R1] ?trans6; EXIT ?trans6;";
    EXPECT_THAT(counts_at(2, rows, launch), IsEmpty()); // The shape is not stated.
    launch.shape = models::BlockShape{{16, 8, 1}};
    EXPECT_THAT(counts_at(2, rows, launch), ElementsAre(1, 1, 0, 0));
}

TEST(WarpExecutions, AreNotCountedInALoopWithoutABound) {
    const std::string endless = "S2R R0, SR_TID.X ?trans6; LDG.E R5, [R2] ?trans6; "
                                "ISETP.GE.AND P3, PT, R0, 0x20, PT ?trans6; @P3 EXIT ?trans6; "
                                "L: ISETP.GE.AND P1, PT, R0, R5, PT ?trans6; "
                                "@!P1 LDS R4, [R1] ?trans6; IADD3 R5, R5, -0x3, RZ ?trans6; "
                                "ISETP.NE.AND P2, PT, R5, RZ, PT ?trans6; @P2 BRA L ?trans6; "
                                "EXIT ?trans6;";
    EXPECT_THAT(counts_at(5, endless, {1, 64}), ElementsAre(uncounted, 0));
}

// Of a register of the warp that lanes write while others wait, nothing is known.
TEST(WarpExecutions, DoNotFollowWhatOtherLanesMayWrite) {
    const std::string divergent =
        "S2R R0, SR_TID.X ?trans6; UMOV UR4, 0x40 ?trans6; BSSY B0, J ?trans6; "
        "ISETP.NE.AND P0, PT, R5, RZ, PT ?trans6; @P0 BRA J ?trans6; "
        "UMOV UR4, 0x20 ?trans6; J: BSYNC B0 ?trans6; "
        "ISETP.GE.AND P1, PT, R0, UR4, PT ?trans6; @!P1 LDS R4, [R1] ?trans6; EXIT ?trans6;";
    EXPECT_THAT(counts_at(8, divergent, {1, 128}), ElementsAre(1, 1, 0, 0));
    models::FlowFacts facts;
    facts.divergents.push_back({0x40, {}});
    EXPECT_THAT(counts_at(8, divergent, {1, 128}, facts), IsEmpty());
}

TEST(WarpExecutions, AreEmptyWhereAllWarpsDoTheSame) {
    EXPECT_THAT(counts_at(0, "LDS R4, [R1] ?trans6; EXIT ?trans6;", {1, 128}), IsEmpty());
}

} // namespace
} // namespace warpbound::analyzer
