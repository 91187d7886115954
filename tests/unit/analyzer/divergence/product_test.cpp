#include "analyzer/divergence/abstract_stack.hpp"
#include "analyzer/divergence/node_graph.hpp"
#include "analyzer/divergence/product_exploration.hpp"
#include "analyzer/divergence/serialized_cfg.hpp"
#include "analyzer/preparation.hpp"
#include "assembly/isa/reader.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace warpbound::analyzer {
namespace {

Result<SerializedCfg> product_of(const std::string& code,
                                 const std::vector<std::int64_t>& divergent_at,
                                 const std::vector<models::LoopFact>& loops = {}) {
    const auto program = assembly::read_program({"test", code});
    EXPECT_TRUE(program) << to_string(program.error());
    const auto& function = program.value().functions.front();
    const auto graph = assembly::build_control_flow_graph(function);
    EXPECT_TRUE(graph) << to_string(graph.error());
    const auto architecture = models::load_architecture("fermi-gtx470");
    EXPECT_TRUE(architecture) << to_string(architecture.error());
    models::FlowFacts facts;
    facts.loops = loops;
    for (const std::int64_t at : divergent_at)
        facts.divergents.push_back({at, {}});
    Request request;
    request.function = &function;
    request.graph = &graph.value();
    request.architecture = &architecture.value();
    request.facts = &facts;
    const auto context = prepare(request);
    EXPECT_TRUE(context) << to_string(context.error());
    return serialized_cfg(context.value().kernel);
}

std::size_t nodes_of(const SerializedCfg& cfg, std::size_t block) {
    return static_cast<std::size_t>(
        std::count(cfg.original.begin(), cfg.original.end(), BlockIndex{block}));
}

std::vector<std::int64_t> repeated_of(const SerializedCfg& cfg) {
    std::vector<std::int64_t> repeated;
    for (const auto& groups : cfg.repeated)
        if (groups) repeated.push_back(*groups);
    return repeated;
}

const std::string diamond = "@P0 BRA B; FADD R2, R2, R2; BRA R; B: FADD R3, R3, R3; R: EXIT;";

// Each path comes first, or second: two nodes. All lanes are together before and behind.
TEST(ProductCfg, OfADiamondHasEachPathFirstAndSecond) {
    const auto cfg = product_of(diamond, {0});
    ASSERT_TRUE(cfg) << to_string(cfg.error());
    EXPECT_EQ(cfg.value().original.size(), 6U);
    EXPECT_EQ(nodes_of(cfg.value(), 1), 2U);
    EXPECT_EQ(nodes_of(cfg.value(), 2), 2U);
    for (const SerializedNode node : cfg.value().original.indices()) {
        const BlockIndex block = cfg.value().original[node];
        EXPECT_EQ(cfg.value().converged[node], block == BlockIndex{0} || block == BlockIndex{3})
            << node.value();
    }
}

TEST(ProductCfg, WithoutDivergenceIsTheCode) {
    const auto cfg = product_of(diamond, {});
    ASSERT_TRUE(cfg) << to_string(cfg.error());
    EXPECT_EQ(cfg.value().original.size(), 4U);
    EXPECT_EQ(cfg.value().converged, PerSerializedNode<bool>(4, true));
}

// Lanes leave in each iteration: X at once in the loop, and behind it once for each pending group,
// of which each of the 4 iterations makes one.
TEST(ProductCfg, OfALoopExitHasOneNodeForPendingGroups) {
    const auto cfg = product_of("L: @P0 BRA X; IADD R3, R3, 0x1; @P1 BRA L; BRA R; "
                                "X: FADD R2, R2, R2; R: EXIT;",
                                {0}, {{0, 1, 4, {}}});
    ASSERT_TRUE(cfg) << to_string(cfg.error());
    EXPECT_EQ(repeated_of(cfg.value()), std::vector<std::int64_t>{4});
    EXPECT_EQ(nodes_of(cfg.value(), 0), 1U);
}

TEST(ProductCfg, RefusesBarriersThatSomeLanesReach) {
    const auto cfg = product_of("@P0 BRA B; BAR.SYNC 0x0; B: EXIT;", {0});
    ASSERT_FALSE(cfg);
    EXPECT_NE(cfg.error().what.find("some lanes may come to this barrier"), std::string::npos)
        << cfg.error().what;
}

// Lanes leave the first loop in each of its 4 iterations, over X or Y, and iterate the second one
// on their way out. The loop of these groups cannot be headed by the second loop's header.
TEST(ProductCfg, BoundsGroupsThatIterateALoopOnTheirWayOut) {
    const auto cfg =
        product_of("L: @P3 BRA Y; @P4 BRA Z; @P0 BRA L; X: FADD R2, R2, R2; Y: FADD R3, R3, R3; "
                   "M: FADD R2, R2, R2; @P2 BRA M; EXIT; Z: EXIT;",
                   {16}, {{0, 1, 4, {}}, {40, 1, 3, {}}});
    ASSERT_TRUE(cfg) << to_string(cfg.error());
    EXPECT_EQ(repeated_of(cfg.value()), std::vector<std::int64_t>{3});
}

// Each of 12 paths first, and then for any number of groups left. Sets would be 12 * 2^11 nodes.
TEST(ProductCfg, CountsGroupsOfAWideBranch) {
    std::string targets;
    std::string paths;
    for (char path = 'A'; path < 'A' + 12; ++path) {
        targets += path == 'A' ? "A" : std::string(",") + path;
        paths += std::string(1, path) + ": FADD R4, R4, R4; BRA END; ";
    }
    const auto cfg = product_of(
        "BRX R2 -0x10 (*\"BRANCH_TARGETS " + targets + "\"*); " + paths + "END: EXIT;", {0});
    ASSERT_TRUE(cfg) << to_string(cfg.error());
    EXPECT_EQ(nodes_of(cfg.value(), 1), 12U);
    EXPECT_EQ(cfg.value().original.size(), 12U * 12U + 2U);
    EXPECT_TRUE(repeated_of(cfg.value()).empty());
}

ProductNode node_of(std::size_t block, const std::vector<std::size_t>& successors) {
    ProductNode node{BlockIndex{block}, {}};
    for (const std::size_t to : successors)
        node.successors.emplace(ProductIndex{to}, false);
    return node;
}

// The same blocks follow nodes 1 and 3, but 1 is in front of the loop: as one they would head it.
TEST(NodeGraph, KeepsNodesInFrontOfALoopApart) {
    const auto nodes = without_bisimilar({node_of(0, {1}), node_of(1, {2, 4}), node_of(2, {2, 3}),
                                          node_of(1, {2, 4}), node_of(3, {})});
    EXPECT_EQ(nodes.size(), 5U);
    const auto in_front =
        without_bisimilar({node_of(0, {1, 2}), node_of(1, {3}), node_of(1, {3}), node_of(2, {})});
    EXPECT_EQ(in_front.size(), 3U);
}

// The loop is entered at blocks 1 and 2. What lies before the header is there once more.
TEST(NodeGraph, TakesTheHeaderAtWhichALoopIsBounded) {
    const ProductNodes nodes{node_of(0, {1, 2}), node_of(1, {2}), node_of(2, {1, 3}),
                             node_of(3, {})};
    for (const std::size_t bounded : {1U, 2U}) {
        const HeaderRank rank = [&](const std::set<BlockIndex>& blocks, BlockIndex block) {
            EXPECT_EQ(blocks, (std::set<BlockIndex>{BlockIndex{1}, BlockIndex{2}}));
            return block == BlockIndex{bounded} ? 1 : unbounded_rank;
        };
        const auto split = with_single_entries(nodes, rank, 100);
        ASSERT_TRUE(split);
        ASSERT_EQ(split->size(), 5U);
        EXPECT_EQ(split->back().block, BlockIndex{3U - bounded});
    }
}

AbstractStack stack_with(const std::vector<StackPoint>& points,
                         const std::vector<PendingGroup>& groups) {
    AbstractStack stack;
    for (const StackPoint& point : points) {
        AbstractStack::Entry entry;
        entry.point = point;
        stack.entries.push_back(entry);
    }
    stack.push(groups);
    return stack;
}

StackPoint implicit_at(std::size_t block) {
    return {true, BlockIndex{block}};
}
PendingGroup group(std::size_t origin, std::size_t resume) {
    return {BlockIndex{origin}, BlockIndex{resume}};
}

const StackPoint implicit = implicit_at(7);
const IsAround never = [](BlockIndex, BlockIndex) { return false; };

TEST(AbstractStack, LetsGroupsRepeatWhereTheyDifferPerIteration) {
    const AbstractStack once = stack_with({implicit}, {group(1, 2)});
    AbstractStack twice = once;
    twice.push({group(1, 2)});
    const auto both = widened(once, twice, never);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->entries.size(), 2U);
    EXPECT_TRUE(both->entries.back().repeats);
    EXPECT_EQ(widened(*both, twice, never), both);
}

// A point nobody waits at is as good as none, but not for groups that would wait there: those of
// the stack without it are below.
TEST(AbstractStack, PutsGroupsOutsideAPointThatTheirStackLacks) {
    EXPECT_TRUE(widened(stack_with({}, {}), stack_with({implicit}, {group(1, 2)}), never));
    const auto both =
        widened(stack_with({}, {group(1, 2)}), stack_with({implicit}, {group(1, 2)}), never);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->entries.size(), 3U);
    EXPECT_EQ(both->entries[1].point, implicit);
    const StackPoint outer = implicit_at(9);
    const auto waits = [&](const StackPoint& point) {
        AbstractStack stack = stack_with({point}, {});
        stack.entries.back().waiting = group(3, 4);
        stack.entries.back().waiting->released = point;
        return stack;
    };
    EXPECT_FALSE(widened(waits(outer), waits(implicit), never));
    const StackPoint explicit_point{false, BlockIndex{3}, 5};
    EXPECT_FALSE(widened(stack_with({}, {}), stack_with({explicit_point}, {}), never));
}

TEST(AbstractStack, OrdersGroupsOfEitherStackAlike) {
    const AbstractStack first = stack_with({implicit}, {group(1, 2)});
    const AbstractStack second = stack_with({implicit}, {group(3, 4)});
    const auto both = widened(first, second, never);
    ASSERT_TRUE(both);
    EXPECT_EQ(widened(second, first, never), both);
    EXPECT_FALSE(both->entries.back().repeats);
}

TEST(AbstractStack, TakesNoMoreGroupsThanAreLeft) {
    AbstractStack stack;
    stack.push({group(1, 2), group(1, 3), group(1, 4)}, 2);
    stack.take_from_top(group(1, 3));
    ASSERT_EQ(stack.entries.size(), 1U);
    EXPECT_EQ(stack.entries.back().groups.size(), 3U);
    stack.take_from_top(group(1, 3));
    EXPECT_TRUE(stack.entries.empty());
}

// Lanes wait at a point that the only group above has left: they go on before the group.
TEST(AbstractStack, ClosesNoPointAtWhichLanesWaitForNobody) {
    const auto waits = [](const std::vector<StackPoint>& left, bool certain) {
        PendingGroup above = group(1, 2);
        above.left = left;
        AbstractStack stack = stack_with({implicit}, {above});
        stack.entries.front().waiting = group(7, 7);
        stack.entries.front().waiting->released = implicit;
        stack.entries.front().certain = certain;
        return stack;
    };
    AbstractStack certain = waits({implicit}, true);
    EXPECT_FALSE(certain.close_unmissed());
    AbstractStack uncertain = waits({implicit}, false);
    EXPECT_TRUE(uncertain.close_unmissed());
    EXPECT_FALSE(uncertain.entries.front().waiting);
    AbstractStack missed = waits({}, true);
    EXPECT_TRUE(missed.close_unmissed());
    EXPECT_TRUE(missed.entries.front().waiting);
}

} // namespace
} // namespace warpbound::analyzer
