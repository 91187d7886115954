#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "analyzer/preparation.hpp"
#include "tests/unit/analyzer/analyzed.hpp"

#include <gmock/gmock.h>

#include <vector>

namespace warpbound::analyzer {
namespace {

using testing::ElementsAre;

std::optional<BarrierIntervals> intervals_of(const std::string& body,
                                             models::FlowFacts facts = {}) {
    const auto made = analyzed(body, std::move(facts));
    made->request.launch = {1, 128};
    const auto context = prepare(made->request);
    EXPECT_TRUE(context) << to_string(context.error());
    const TimedKernel& kernel = context.value().kernel;
    const LaunchGeometry& shape = context.value().launch.shape;
    return barrier_intervals(kernel, shape, barriers_of_block(kernel, shape).value().most);
}

TEST(BarrierIntervals, EndWithTheBarrier) {
    const auto intervals =
        intervals_of("MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; BAR.SYNC 0x0; EXIT;");
    ASSERT_TRUE(intervals);
    EXPECT_THAT(intervals->executes, ElementsAre(ElementsAre(true, true, false, false, false),
                                                 ElementsAre(false, false, true, true, false),
                                                 ElementsAre(false, false, false, false, true)));
    EXPECT_GT(intervals->least_barrier_latency, 0);
}

// Both ways of a branch lie before the barrier, and what joins them.
TEST(BarrierIntervals, HoldBothWaysOfABranch) {
    const auto intervals =
        intervals_of("@P0 BRA 0x10; MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; EXIT;");
    ASSERT_TRUE(intervals);
    EXPECT_THAT(intervals->executes, ElementsAre(ElementsAre(true, true, true, false, false),
                                                 ElementsAre(false, false, false, true, true)));
}

TEST(BarrierIntervals, AreNoneWhereABarrierLiesInALoop) {
    models::FlowFacts facts;
    facts.loops.push_back({8, 3, 3, {}});
    EXPECT_FALSE(intervals_of("MOV R1, R2; BAR.SYNC 0x0; @P0 BRA 0x8; EXIT;", facts));
}

/// What a warp costs in its costliest part, each instruction as many as its place in `costs` says.
std::int64_t costliest_part(const std::string& body, const std::vector<std::int64_t>& costs,
                            models::FlowFacts facts = {}) {
    const auto made = analyzed(body, std::move(facts));
    made->request.launch = {1, 128};
    const auto context = prepare(made->request);
    EXPECT_TRUE(context) << to_string(context.error());
    const TimedKernel& kernel = context.value().kernel;
    const auto best = LoopBoundedPaths{made->graph, barrier_interval_paths(kernel, costs),
                                       kernel.facts.loops, Side::Upper}
                          .start_to_end();
    return best.value().cost;
}

/// What the barrier intervals of a warp cost beyond a limit (S85).
std::int64_t beyond(std::int64_t limit, const std::string& body,
                    const std::vector<std::int64_t>& costs, models::FlowFacts facts = {}) {
    const auto made = analyzed(body, std::move(facts));
    made->request.launch = {1, 128};
    const auto context = prepare(made->request);
    EXPECT_TRUE(context) << to_string(context.error());
    const TimedKernel& kernel = context.value().kernel;
    const auto best = LoopBoundedPaths{made->graph, intervals_beyond(kernel, costs, limit),
                                       kernel.facts.loops, Side::Upper}
                          .start_to_end();
    return best.value().cost;
}

TEST(BarrierIntervalPaths, SumWhatIntervalsCostBeyondALimit) {
    const std::string body = "MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; BAR.SYNC 0x0; EXIT;";
    const std::vector<std::int64_t> costs{2, 1, 1, 1, 1}; // Intervals of 3, 2 and 1.
    EXPECT_EQ(beyond(0, body, costs), 6);
    EXPECT_EQ(beyond(1, body, costs), 3);
    EXPECT_EQ(beyond(2, body, costs), 1);
    EXPECT_EQ(beyond(3, body, costs), 0);
    // The intervals of two branch targets: the costlier one on the path.
    const std::string two = "MOV R1, R2; BAR.SYNC 0x0; @P0 BRA L; MOV R3, R4; L: BAR.SYNC 0x0; "
                            "MOV R5, R6; EXIT;";
    EXPECT_EQ(beyond(2, two, {1, 1, 1, 8, 1, 1, 1}), 8);
}

// Each iteration has an interval of 4, the entry one of 2, and what follows one of 1.
TEST(BarrierIntervalPaths, SumOverTheIterationsOfALoop) {
    models::FlowFacts facts;
    facts.loops.push_back({8, 5, 5, {}});
    const std::string body = "MOV R1, R2; L: MOV R3, R4; BAR.SYNC 0x0; @P0 BRA L; EXIT;";
    // Entry and first iteration: 1 + 2 + 1. Then four of 1 + 2 + 1, and 1 + 1.
    const std::vector<std::int64_t> costs{1, 2, 1, 1, 1};
    EXPECT_EQ(beyond(0, body, costs, facts), 4 + 4 * 4 + 2);
    EXPECT_EQ(beyond(3, body, costs, facts), 1 + 4 * 1);
}

TEST(BarrierIntervalPaths, PayBetweenTwoBarriersOnly) {
    const std::string body = "MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; BAR.SYNC 0x0; EXIT;";
    EXPECT_EQ(costliest_part(body, {100, 10, 1, 1, 1}), 110);
    EXPECT_EQ(costliest_part(body, {1, 1, 100, 10, 1}), 110);
    EXPECT_EQ(costliest_part(body, {1, 1, 1, 1, 100}), 100);
    EXPECT_EQ(costliest_part("MOV R1, R2; EXIT;", {5, 7}), 12);
}

TEST(BarrierIntervalPaths, TakeTheCostlierWayOfABranch) {
    const std::string body =
        "@P0 BRA 0x18; MOV R1, R2; MOV R5, R6; BAR.SYNC 0x0; MOV R3, R4; EXIT;";
    EXPECT_EQ(costliest_part(body, {1, 20, 20, 1, 30, 1}), 42);
    EXPECT_EQ(costliest_part(body, {1, 20, 20, 1, 50, 1}), 51);
}

// A loop of three turns, with a loop of four in it: from barrier to barrier once round.
TEST(BarrierIntervalPaths, GoOnceRoundALoopWithABarrier) {
    models::FlowFacts facts;
    facts.loops.push_back({8, 3, 3, {}});
    EXPECT_EQ(costliest_part("MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; @P0 BRA 0x8; EXIT;",
                             {40, 1, 20, 3, 4}, facts),
              41);
    EXPECT_EQ(costliest_part("MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; @P0 BRA 0x8; EXIT;",
                             {1, 1, 20, 3, 40}, facts),
              63);
    facts.loops.push_back({16, 4, 4, {}});
    EXPECT_EQ(
        costliest_part("MOV R1, R2; BAR.SYNC 0x0; MOV R3, R4; @P1 BRA 0x10; @P0 BRA 0x8; EXIT;",
                       {1, 1, 20, 3, 2, 1}, facts),
        4 * 23 + 2 + 1);
}

} // namespace
} // namespace warpbound::analyzer
