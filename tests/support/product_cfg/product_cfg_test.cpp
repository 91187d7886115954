#include "analyzer/preparation.hpp"
#include "assembly/isa/reader.hpp"
#include "tests/support/product_cfg/abstract_stack.hpp"
#include "tests/support/product_cfg/product_cfg.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    return product_cfg(context.value(), 1000);
}

std::size_t nodes_of(const SerializedCfg& cfg, std::size_t block) {
    return static_cast<std::size_t>(std::count(cfg.original.begin(), cfg.original.end(), block));
}

const std::string diamond = "@P0 BRA B; FADD R2, R2, R2; BRA R; B: FADD R3, R3, R3; R: EXIT;";

// Each path comes first, or second: two nodes. All lanes are together before and behind.
TEST(ProductCfg, OfADiamondHasEachPathFirstAndSecond) {
    const auto cfg = product_of(diamond, {0});
    ASSERT_TRUE(cfg) << to_string(cfg.error());
    EXPECT_EQ(cfg.value().original.size(), 6U);
    EXPECT_EQ(nodes_of(cfg.value(), 1), 2U);
    EXPECT_EQ(nodes_of(cfg.value(), 2), 2U);
    for (std::size_t node = 0; node < cfg.value().original.size(); ++node) {
        const std::size_t block = cfg.value().original[node];
        EXPECT_EQ(cfg.value().converged[node], block == 0 || block == 3) << node;
    }
}

TEST(ProductCfg, WithoutDivergenceIsTheCode) {
    const auto cfg = product_of(diamond, {});
    ASSERT_TRUE(cfg) << to_string(cfg.error());
    EXPECT_EQ(cfg.value().original.size(), 4U);
    EXPECT_EQ(cfg.value().converged, std::vector<bool>(4, true));
}

// Lanes leave in each iteration: X at once in the loop, and behind it once for each pending group,
// of which each of the 4 iterations makes one.
TEST(ProductCfg, OfALoopExitHasOneNodeForPendingGroups) {
    const auto cfg = product_of("L: @P0 BRA X; IADD R3, R3, 0x1; @P1 BRA L; BRA R; "
                                "X: FADD R2, R2, R2; R: EXIT;",
                                {0}, {{0, 1, 4, {}}});
    ASSERT_TRUE(cfg) << to_string(cfg.error());
    std::vector<std::int64_t> repeated;
    for (const auto& groups : cfg.value().repeated)
        if (groups) repeated.push_back(*groups);
    EXPECT_EQ(repeated, std::vector<std::int64_t>{4});
    EXPECT_EQ(nodes_of(cfg.value(), 0), 1U);
}

TEST(ProductCfg, RefusesBarriersThatSomeLanesReach) {
    const auto cfg = product_of("@P0 BRA B; BAR.SYNC 0x0; B: EXIT;", {0});
    ASSERT_FALSE(cfg);
    EXPECT_NE(cfg.error().what.find("some lanes may come to this barrier"), std::string::npos)
        << cfg.error().what;
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

const StackPoint implicit{true, 7};
const IsAround never = [](std::size_t, std::size_t) { return false; };

TEST(AbstractStack, LetsGroupsRepeatWhereTheyDifferPerIteration) {
    const AbstractStack once = stack_with({implicit}, {{1, 2}});
    AbstractStack twice = once;
    twice.push({{1, 2}});
    const auto both = widened(once, twice, never);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->entries.size(), 2U);
    EXPECT_TRUE(both->entries.back().repeats);
    EXPECT_EQ(widened(*both, twice, never), both);
}

// A point nobody waits at is as good as none, but not for groups that would wait there: those of
// the stack without it are below.
TEST(AbstractStack, PutsGroupsOutsideAPointThatTheirStackLacks) {
    EXPECT_TRUE(widened(stack_with({}, {}), stack_with({implicit}, {{1, 2}}), never));
    const auto both = widened(stack_with({}, {{1, 2}}), stack_with({implicit}, {{1, 2}}), never);
    ASSERT_TRUE(both);
    ASSERT_EQ(both->entries.size(), 3U);
    EXPECT_EQ(both->entries[1].point, implicit);
    const StackPoint outer{true, 9};
    const auto waits = [&](const StackPoint& point) {
        AbstractStack stack = stack_with({point}, {});
        stack.entries.back().waiting = PendingGroup{3, 4, 0, {}, point};
        return stack;
    };
    EXPECT_FALSE(widened(waits(outer), waits(implicit), never));
    const StackPoint explicit_point{false, 3, 5};
    EXPECT_FALSE(widened(stack_with({}, {}), stack_with({explicit_point}, {}), never));
}

} // namespace
} // namespace warpbound::analyzer
