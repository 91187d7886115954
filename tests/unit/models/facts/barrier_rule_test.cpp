#include "assembly/isa/reader.hpp"
#include "models/facts/barrier_rule.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace warpbound::models {
namespace {

/// Addresses of the branches that decide barriers; " early" or " between" where threads may end
/// before barriers.
std::string rule_of(const std::string& body, const FlowFacts& facts = {}) {
    const auto program =
        assembly::read_program({"test", "!Arch sm_75\n!Kernel k\n" + body + "\n!EndKernel\n"});
    EXPECT_TRUE(program) << to_string(program.error());
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    EXPECT_TRUE(graph) << to_string(graph.error());
    const BarrierRule rule = barrier_rule(function, graph.value(), facts);
    std::string text;
    for (std::size_t block = 0; block < rule.decides.size(); ++block)
        if (rule.decides[block])
            text += fmt::format(" {:#06x}",
                                function.instructions[graph.value().blocks[block].last].address);
    return text + (rule.ends_between ? " between" : rule.ends_before ? " early" : "");
}

TEST(BarrierRule, NamesBranchesOnWhichABarrierDepends) {
    EXPECT_EQ(rule_of("NOP; @P0 BRA D; NOP; D: BAR.SYNC 0x0; EXIT;"), "");
    EXPECT_EQ(rule_of("NOP; @P0 BRA D; BAR.SYNC 0x0; D: NOP; BAR.SYNC 0x0; EXIT;"), " 0x0010");
    // The outer branch decides whether the inner one does.
    EXPECT_EQ(rule_of("NOP; @P0 BRA D; @P1 BRA C; BAR.SYNC 0x0; C: NOP; D: NOP; BAR.SYNC 0x0; "
                      "EXIT;"),
              " 0x0010 0x0020");
}

TEST(BarrierRule, NamesExitsOfLoopsWithABarrier) {
    EXPECT_EQ(rule_of("L: NOP; BAR.SYNC 0x0; @P0 BRA L; EXIT;"), " 0x0020");
    EXPECT_EQ(rule_of("L: NOP; @P1 BRA M; NOP; M: BAR.SYNC 0x0; @P0 BRA L; NOP; EXIT;"), " 0x0040");
    EXPECT_EQ(rule_of("L: NOP; @P0 BRA L; BAR.SYNC 0x0; EXIT;"), "");
    EXPECT_EQ(rule_of("K: NOP; L: BAR.SYNC 0x0; @P0 BRA L; @P1 BRA K; EXIT;"), " 0x0020 0x0030");
}

TEST(BarrierRule, LeavesThreadsThatEndOut) {
    EXPECT_EQ(rule_of("NOP; @P0 EXIT; BAR.SYNC 0x0; EXIT;"), " early");
    EXPECT_EQ(rule_of("NOP; @P0 BRA D; BAR.SYNC 0x0; NOP; D: EXIT;"), " early");
    EXPECT_EQ(rule_of("BAR.SYNC 0x0; @P0 EXIT; BAR.SYNC 0x0; EXIT;"), " between");
    EXPECT_EQ(rule_of("BAR.SYNC 0x0; @P0 EXIT; EXIT;"), "");
    // Where threads may end inside, the branch around it decides nothing.
    EXPECT_EQ(rule_of("NOP; @P0 BRA D; NOP; @P1 EXIT; D: BAR.SYNC 0x0; EXIT;"), " early");
}

// @P0 BAR before @P0 BRA is a barrier on the edge that the branch takes.
TEST(BarrierRule, PutsGuardedBarriersOnEdges) {
    EXPECT_EQ(rule_of("L: NOP; @P0 BAR.SYNC 0x0; @P0 BRA L; EXIT;"), " 0x0020");
    EXPECT_EQ(rule_of("L: NOP; @P0 BAR.SYNC 0x0; NOP; @!P0 BRA D; BRA L; D: EXIT;"), " 0x0030");
    EXPECT_EQ(rule_of("@P0 BAR.SYNC 0x0; @P0 BRA D; NOP; D: NOP; BAR.SYNC 0x0; EXIT;"), " 0x0010");
    // Without a barrier ahead, threads that go the other way end before it.
    EXPECT_EQ(rule_of("@P0 BAR.SYNC 0x0; @P0 BRA D; NOP; D: NOP; EXIT;"), " early");
    EXPECT_EQ(rule_of("BAR.SYNC 0x0; @P0 BAR.SYNC 0x0; @P0 BRA D; NOP; D: NOP; EXIT;"), " between");
    // The loop passes it where it is left only: its exit has to be common, its rounds not.
    EXPECT_EQ(rule_of("L: NOP; @!P0 BAR.SYNC 0x0; @P0 BRA L; EXIT;"), "");
    // With another guard, or one that is written again, it is a barrier of the block.
    EXPECT_EQ(rule_of("NOP; @P1 BAR.SYNC 0x0; @P0 BRA D; NOP; D: NOP; EXIT;"), "");
    EXPECT_EQ(rule_of("@P0 BAR.SYNC 0x0; ISETP.EQ.AND P0, PT, R1, R2, PT; @P0 BRA D; NOP; "
                      "D: NOP; EXIT;"),
              "");
    FlowFacts edge;
    edge.constraints.push_back({{{1, 0x0, 0x30}}, Relation::AtMost, 0, {}});
    EXPECT_EQ(rule_of("@P0 BAR.SYNC 0x0; @P0 BRA D; NOP; D: NOP; EXIT;", edge), "");
}

TEST(BarrierRule, FollowsTheFacts) {
    const std::string code = "NOP; @P0 BRA D; BAR.SYNC 0x0; D: NOP; BAR.SYNC 0x0; EXIT;";
    FlowFacts never;
    never.nevers.push_back({0x20, {}});
    EXPECT_EQ(rule_of(code, never), "");
    FlowFacts edge;
    edge.constraints.push_back({{{1, 0x0, 0x30}}, Relation::AtMost, 0, {}});
    EXPECT_EQ(rule_of(code, edge), "");
    FlowFacts goes_on;
    goes_on.constraints.push_back(
        {{{1, 0x0, 0x20}, {-1, std::nullopt, 0x0}}, Relation::AtLeast, 0, {}});
    EXPECT_EQ(rule_of("NOP; @P0 EXIT; BAR.SYNC 0x0; EXIT;", goes_on), "");
}

} // namespace
} // namespace warpbound::models
