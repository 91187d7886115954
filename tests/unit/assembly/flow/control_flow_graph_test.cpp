#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/flow/post_dominators.hpp"
#include "assembly/isa/reader.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

namespace warpbound::assembly {
namespace {

using testing::HasSubstr;

Result<ControlFlowGraph> graph_of(const std::string& body, int sm = 20) {
    const auto program = read_program(
        {"test", "!Arch sm_" + std::to_string(sm) + "\n!Kernel k\n" + body + "\n!EndKernel\n"});
    if (!program) return program.as_failure();
    return build_control_flow_graph(program.value().functions.front());
}

ControlFlowGraph valid(const std::string& body, int sm = 20) {
    auto graph = graph_of(body, sm);
    EXPECT_TRUE(graph) << to_string(graph.error());
    return graph ? std::move(graph).value() : ControlFlowGraph{};
}

std::string refusal(const std::string& body, int sm = 20) {
    const auto graph = graph_of(body, sm);
    return graph ? "accepted" : to_string(graph.error());
}

TEST(ControlFlowGraph, SplitsAtABranchAndItsTarget) {
    const auto graph = valid("@P0 BRA L; MOV R1, R2; L: EXIT;");
    ASSERT_EQ(graph.blocks.size(), 3U);
    EXPECT_EQ(graph.blocks[0].out.size(), 2U);
    EXPECT_EQ(graph.edges[graph.blocks[0].out[0]].kind, EdgeKind::FallThrough);
    EXPECT_EQ(graph.edges[graph.blocks[0].out[1]].kind, EdgeKind::Taken);
    EXPECT_TRUE(graph.blocks[2].exits);
    EXPECT_TRUE(graph.loops.empty());
}

TEST(ControlFlowGraph, LetsAGuardedExitFallThrough) {
    const auto graph = valid("@P0 EXIT; MOV R1, R2; EXIT;");
    ASSERT_EQ(graph.blocks.size(), 2U);
    EXPECT_TRUE(graph.blocks[0].exits);
    EXPECT_EQ(graph.blocks[0].out.size(), 1U);
}

TEST(ControlFlowGraph, RefusesAnExitThatNotItsGuardAloneDecides) {
    EXPECT_THAT(refusal("@P0 EXIT CC.NE; MOV R1, R2; EXIT;", 60),
                HasSubstr("EXIT that not its guard alone decides is not supported"));
    EXPECT_THAT(refusal("EXIT CC.NE; MOV R1, R2; EXIT;", 60), HasSubstr("0x0000"));
    EXPECT_THAT(refusal("@P0 EXIT.PREEMPTED; EXIT;", 80), HasSubstr("EXIT.PREEMPTED"));
    EXPECT_EQ(valid("@P0 EXIT.KEEPREFCOUNT; EXIT;", 80).blocks.size(), 2U);
}

TEST(ControlFlowGraph, LeavesOutThePaddingBranchAfterTheExit) {
    EXPECT_EQ(valid("EXIT; P: BRA P; NOP;").blocks.size(), 1U);
}

TEST(ControlFlowGraph, NeverTakesABranchGuardedByNotPt) {
    const auto graph = valid("@!PT BRA L; MOV R1, R2; L: EXIT;");
    EXPECT_EQ(graph.blocks[0].out.size(), 1U);
}

TEST(ControlFlowGraph, GivesABranchDecidedByAnOperandBothSuccessors) {
    EXPECT_EQ(valid("BRA.U UP0, L; MOV R1, R2; L: EXIT;", 75).blocks[0].out.size(), 2U);
    // Whether the lanes of a mask are active, be the mask constant or not.
    for (const char* const mask : {"UR4", "~URZ", "URZ"})
        EXPECT_EQ(valid(std::string{"BRA.DIV "} + mask + ", L; MOV R1, R2; L: EXIT;", 75)
                      .blocks[0]
                      .out.size(),
                  2U)
            << mask;
}

TEST(ControlFlowGraph, FindsNestedLoopsOuterFirst) {
    const auto graph = valid("A: MOV R1, R2; B: MOV R3, R4; @P0 BRA B; @P1 BRA A; EXIT;");
    ASSERT_EQ(graph.loops.size(), 2U);
    EXPECT_EQ(graph.blocks[graph.loops[0].header].address, 0);
    EXPECT_EQ(graph.blocks[graph.loops[1].header].address, 8);
    EXPECT_EQ(graph.loops[1].parent, std::optional<std::size_t>{0});
    EXPECT_EQ(graph.loops[1].depth, 2);
    EXPECT_EQ(graph.loops[0].exit_edges.size(), 1U);
    // The kernel's entry is the outer header: no edge enters the loop from outside.
    EXPECT_TRUE(graph.loops[0].entry_edges.empty());
}

TEST(ControlFlowGraph, JoinsLoopsThatShareAHeader) {
    const auto graph = valid("MOV R1, R2; A: @P0 BRA A; @P1 BRA A; EXIT;");
    ASSERT_EQ(graph.loops.size(), 1U);
    EXPECT_EQ(graph.loops[0].back_edges.size(), 2U);
}

TEST(ControlFlowGraph, SendsSyncToThePushedTarget) {
    const auto graph =
        valid("SSY J; @P0 BRA E; SYNC; E: MOV R1, R2; SYNC; MOV R5, R6; J: EXIT;", 52);
    // The instruction before J is not reachable.
    for (const auto& block : graph.blocks)
        EXPECT_NE(block.address, 40);
    EXPECT_EQ(graph.blocks.size(), 4U);
}

TEST(ControlFlowGraph, TreatsTheSuffixSAsAPopOnFermi) {
    const auto graph = valid("SSY J; @P0 BRA E; NOP.S; E: MOV.S R1, R2; MOV R5, R6; J: EXIT;");
    EXPECT_EQ(graph.blocks.size(), 4U);
}

TEST(ControlFlowGraph, PopsReconvergencePointsUpToThePushOfABreak) {
    const auto graph =
        valid("PBK O; L: SSY J; @P0 BRK; SYNC; J: @P1 BRA L; MOV R1, R2; BRK; O: EXIT;", 52);
    bool to_exit = false;
    for (const auto& edge : graph.edges)
        to_exit = to_exit || graph.blocks[edge.to].exits;
    EXPECT_TRUE(to_exit);
}

TEST(ControlFlowGraph, FallsThroughBsyncAtItsOwnTarget) {
    const auto graph = valid("BSSY B0, J; @P0 BRA J; MOV R1, R2; J: BSYNC B0; EXIT;", 75);
    EXPECT_EQ(graph.blocks.size(), 4U);
}

TEST(ControlFlowGraph, ExpandsACalledBlockPerCallSite) {
    const auto graph = valid("CAL F; MOV R1, R2; CAL F; EXIT; F: MOV R3, R4; RET;", 52);
    int copies = 0;
    for (const auto& block : graph.blocks)
        copies += block.address == 32 ? 1 : 0;
    EXPECT_EQ(copies, 2);
}

TEST(ControlFlowGraph, ResolvesAReturnAddressFromARegister) {
    const auto graph =
        valid("MOV R6, 0x20; CALL.REL.NOINC F; EXIT; F: MOV R3, R4; RET.REL.NODEC R6 0x0;", 75);
    EXPECT_FALSE(graph.blocks.empty());
}

// Compilers save it so where a function needs the registers.
TEST(ControlFlowGraph, FollowsAReturnAddressFromRegisterToRegister) {
    const auto graph = valid("MOV R6, 0x20; CALL.REL.NOINC F; MOV R6, 0x40; CALL.REL.NOINC F; "
                             "EXIT; F: MOV R3, 0x0; IMAD.MOV.U32 R2, RZ, RZ, R6; MOV R6, RZ; "
                             "RET.REL.NODEC R2 0x0;",
                             75);
    int returns = 0;
    for (const auto& block : graph.blocks)
        returns += block.address == 0x20 || block.address == 0x40 ? 1 : 0;
    EXPECT_EQ(returns, 2);
    for (const char* change : {"@P0 MOV R2, R6;", "IADD3 R2, R6, 0x10, RZ;", "MOV R2, R7;",
                               "MOV R2, R6; IADD3 R2, R2, 0x10, RZ;", "MOV R6, R7; MOV R2, R6;"})
        EXPECT_THAT(refusal("MOV R6, 0x20; CALL.REL.NOINC F; EXIT; F: " + std::string{change} +
                                " RET.REL.NODEC R2 0x0;",
                            75),
                    HasSubstr("the return address is not known"))
            << change;
}

// Compilers write a branch as a call where the target is far away in their own order of blocks.
TEST(ControlFlowGraph, TakesACallThatReachesNoReturnForABranch) {
    // The call closes a loop, which a call that comes back could not.
    const auto loop =
        valid("L: IADD3 R0, R0, 0x1, RZ; @P0 CALL.REL.NOINC L; @P1 CALL.REL.NOINC N; BRA L; "
              "N: EXIT;",
              86);
    EXPECT_EQ(loop.blocks.size(), 4U);
    EXPECT_EQ(loop.loops.size(), 1U);
    for (const auto& block : loop.blocks)
        EXPECT_TRUE(block.context.empty());
}

TEST(ControlFlowGraph, TellsJumpsWrittenAsCallsFromCallsInOneFunction) {
    // L is jumped to and calls F, which comes back by a tail that is jumped to, too.
    const auto graph = valid("L: IADD3 R0, R0, 0x1, RZ; MOV R6, 0x30; CALL.REL.NOINC F; "
                             "@P0 CALL.REL.NOINC L; EXIT; F: MOV R3, R4; CALL.REL.NOINC T; "
                             "T: MOV R5, R4; RET.REL.NODEC R6 0x0;",
                             86);
    EXPECT_EQ(graph.loops.size(), 1U);
    for (const auto& block : graph.blocks) {
        const bool is_outside = block.address == 0x30 || block.address == 0x40;
        EXPECT_TRUE(block.context.empty() || !is_outside);
    }
}

TEST(ControlFlowGraph, ReadsCollectiveOperationsAsStraightCode) {
    const std::string shuffle = "SHFL.UP P0, R19, R21, R22, R23; ENDCOLLECTIVE; ";
    const auto graph = valid("WARPSYNC.COLLECTIVE R20, 0x30; " + shuffle + "EXIT;", 90);
    EXPECT_EQ(graph.blocks.size(), 1U);
    for (const std::string& code :
         {"WARPSYNC.COLLECTIVE R20, 0x40; " + shuffle + "NOP; EXIT;",
          "WARPSYNC.COLLECTIVE R20, 0x40; @P0 BRA L; " + shuffle + "L: EXIT;",
          "@P1 WARPSYNC.COLLECTIVE R20, 0x30; " + shuffle + "EXIT;", shuffle + "EXIT;"})
        EXPECT_THAT(refusal(code, 90), HasSubstr("unknown control instruction")) << code;
}

TEST(ControlFlowGraph, RefusesUnknownControlFlowWithItsLocation) {
    EXPECT_THAT(refusal("BRX R2 -0x8; EXIT;", 75), HasSubstr("0x0000: indirect branch BRX"));
    EXPECT_THAT(refusal("SYNC; EXIT;", 52), HasSubstr("0x0000: no matching push"));
    EXPECT_THAT(refusal("F: CAL F; EXIT;", 52), HasSubstr("recursion"));
    EXPECT_THAT(refusal("RET; EXIT;", 52), HasSubstr("a return outside a call"));
    EXPECT_THAT(refusal("MOV R1, R2;"),
                HasSubstr("0x0000: the code runs past the last instruction"));
    EXPECT_THAT(refusal("L: BRA L;"), HasSubstr("no EXIT can be reached"));
    EXPECT_THAT(refusal("MOV R6, R7; CALL.REL.NOINC F; EXIT; F: RET.REL.NODEC R6 0x0;", 75),
                HasSubstr("the return address is not known"));
}

TEST(ControlFlowGraph, RefusesPathsThatDisagreeAboutAPop) {
    EXPECT_THAT(refusal("@P0 BRA A; SSY J; BRA B; A: SSY K; B: SYNC; J: EXIT; K: EXIT;", 52),
                HasSubstr("disagree about its target"));
}

TEST(ControlFlowGraph, RefusesAnIrreducibleLoopNamingBothEnds) {
    EXPECT_THAT(refusal("@P0 BRA B; A: MOV R1, R2; B: MOV R3, R4; @P1 BRA A; EXIT;"),
                HasSubstr("irreducible loop"));
}

/// Blocks on every path from the entry to `block`, by removing one block after the other.
bool dominates_by_removal(const ControlFlowGraph& graph, std::size_t above, std::size_t block) {
    if (above == block) return true;
    std::vector<bool> seen(graph.blocks.size(), false);
    std::vector<std::size_t> work;
    if (above != 0) {
        work.push_back(0);
        seen[0] = true;
    }
    while (!work.empty()) {
        const std::size_t at = work.back();
        work.pop_back();
        for (const std::size_t edge : graph.blocks[at].out) {
            const std::size_t to = graph.edges[edge].to;
            if (to == above || seen[to]) continue;
            seen[to] = true;
            work.push_back(to);
        }
    }
    return !seen[block];
}

TEST(ControlFlowGraph, AgreesWithBruteForceDominatorsOnRandomGraphs) {
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        std::mt19937_64 engine{seed};
        std::string body;
        const auto blocks = 3 + engine() % 8;
        for (std::uint64_t i = 0; i < blocks; ++i)
            body += "L" + std::to_string(i) + ": MOV R1, R2; @P0 BRA L" +
                    std::to_string(engine() % blocks) + ";\n";
        const auto built = graph_of(body + "EXIT;");
        if (!built) continue; // irreducible
        ++checked;
        const auto& graph = built.value();
        for (std::size_t a = 0; a < graph.blocks.size(); ++a)
            for (std::size_t b = 0; b < graph.blocks.size(); ++b)
                ASSERT_EQ(graph.dominates(a, b), dominates_by_removal(graph, a, b))
                    << "seed " << seed;
    }
    EXPECT_GT(checked, 50);
}

/// Whether every path from a block to an EXIT contains another.
bool post_dominates_by_removal(const ControlFlowGraph& graph, std::size_t after,
                               std::size_t block) {
    std::vector<bool> seen(graph.blocks.size(), false);
    std::vector<std::size_t> work;
    if (block != after) work.push_back(block);
    while (!work.empty()) {
        const std::size_t at = work.back();
        work.pop_back();
        if (seen[at]) continue;
        seen[at] = true;
        if (graph.blocks[at].exits) return false;
        for (const std::size_t edge : graph.blocks[at].out)
            if (graph.edges[edge].to != after) work.push_back(graph.edges[edge].to);
    }
    return true;
}

TEST(PostDominators, AgreeWithBruteForceOnRandomGraphs) {
    int checked = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        std::mt19937_64 engine{seed};
        std::string body;
        const auto blocks = 3 + engine() % 8;
        for (std::uint64_t i = 0; i < blocks; ++i)
            body += "L" + std::to_string(i) + ": MOV R1, R2; @P0 " +
                    (engine() % 6 == 0 ? "EXIT" : "BRA L" + std::to_string(engine() % blocks)) +
                    ";\n";
        const auto built = graph_of(body + "EXIT;");
        if (!built) continue; // irreducible
        ++checked;
        const auto& graph = built.value();
        const auto found = immediate_post_dominators(graph);
        for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
            std::vector<std::size_t> all;
            for (std::size_t after = 0; after < graph.blocks.size(); ++after)
                if (after != block && post_dominates_by_removal(graph, after, block))
                    all.push_back(after);
            ASSERT_EQ(found[block].has_value(), !all.empty()) << "seed " << seed;
            // The nearest is the one that all others post-dominate.
            for (const std::size_t after : all)
                EXPECT_TRUE(after == *found[block] ||
                            post_dominates_by_removal(graph, after, *found[block]))
                    << "seed " << seed;
        }
    }
    EXPECT_GT(checked, 50);
}

TEST(ControlFlowGraph, KnowsTheTargetOfBsyncAfterABreak) {
    const auto graph = graph_of("BSSY B0, J; @P0 BREAK B0; @P0 BRA L; J: BSYNC B0; L: EXIT;", 70);
    ASSERT_TRUE(graph) << graph.error().what;
    EXPECT_EQ(graph.value().blocks.size(), 3U);
}

TEST(ControlFlowGraph, DrawsEveryBlock) {
    const auto program =
        read_program({"test", "!Kernel k\n@P0 BRA L; MOV R1, R2; L: EXIT;\n!EndKernel"});
    ASSERT_TRUE(program);
    const auto& function = program.value().functions.front();
    const auto graph = build_control_flow_graph(function);
    ASSERT_TRUE(graph);
    EXPECT_THAT(to_dot(function, graph.value()), HasSubstr("b2 [label=\"0x0010"));
}

} // namespace
} // namespace warpbound::assembly
