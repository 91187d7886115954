#include "harness/protocol/schedules.hpp"

#include <gtest/gtest.h>

#include <set>

namespace warpbound::harness {
namespace {

/// Two warps that issue in the order `orders[seed % size]`, one per cycle; a warp ends with its
/// last issue.
class ScriptedMachine final : public simulator::Machine {
public:
    explicit ScriptedMachine(std::vector<std::vector<int>> orders) : orders_{std::move(orders)} {}

    Result<models::Observation> run(const RunOptions& options,
                                    const simulator::Listener& listener) const override {
        const auto& order = orders_[options.seed % orders_.size()];
        if (order.empty()) return Failure{"this run fails"};
        models::Observation observation;
        observation.seed = options.seed;
        observation.warps.resize(2);
        std::int64_t cycle = 0;
        for (const int warp : order) {
            simulator::Issued issued;
            issued.cycle = cycle;
            issued.warp = warp;
            listener(issued);
            listener(simulator::Completed{cycle, warp, 0});
            observation.warps[static_cast<std::size_t>(warp)].finished = models::Cycles{cycle++};
        }
        observation.execution_time = models::Cycles{cycle};
        return observation;
    }

private:
    std::vector<std::vector<int>> orders_;
};

Protocol protocol(std::int64_t repetitions) {
    Protocol result;
    result.repetitions = repetitions;
    return result;
}

TEST(Schedules, RepeatTheSlowestRun) {
    const ScriptedMachine machine{{{0, 1}, {0, 1, 1, 0}, {1, 0, 0}}};
    const Protocol eight = protocol(8);
    const auto runs = run_schedules(machine, eight);
    ASSERT_TRUE(runs);
    const ScheduleSummary summary = summarise_schedules(runs.value());
    const auto timeline = timeline_of(machine, eight, summary.worst_run);
    ASSERT_TRUE(timeline);
    EXPECT_EQ(timeline.value().time, summary.times.worst);
    EXPECT_EQ(timeline.value().seed, seed_of_run(eight.seed, summary.worst_run));
    EXPECT_EQ(timeline.value().issues, (std::vector<std::vector<std::int64_t>>{{0, 3}, {1, 2}}));
    EXPECT_FALSE(timeline_of(ScriptedMachine{{{}}}, eight, 0));
}

TEST(Schedules, RecordTheIssuesOfTheRun) {
    const auto runs = run_schedules(ScriptedMachine{{{0, 1, 0, 0}}}, protocol(3));
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs.value().size(), 3U);
    const ScheduledRun& run = runs.value().front();
    EXPECT_EQ(run.time, 4);
    EXPECT_EQ(run.instructions, 4);
    EXPECT_EQ(run.first_end, 1);
    EXPECT_EQ(run.last_end, 3);
    // Ends after cycles 4 and 2: (4 + 2)^2 / (2 x (16 + 4)).
    EXPECT_DOUBLE_EQ(run.fairness, 36.0 / 40.0);
    const ScheduleSummary summary = summarise_schedules(runs.value());
    EXPECT_EQ(summary.orders, 1);
    EXPECT_EQ(summary.widest_spread, 2);
    EXPECT_DOUBLE_EQ(summary.mean_cpi, 1);
    EXPECT_DOUBLE_EQ(summary.deviation_cpi, 0);
    EXPECT_EQ(summary.times.best, 4);
}

TEST(Schedules, DistinguishIssueOrders) {
    const ScriptedMachine machine{{{0, 1, 0, 1}, {0, 0, 1, 1}, {1, 0, 1, 0}}};
    const auto runs = run_schedules(machine, protocol(100));
    ASSERT_TRUE(runs);
    EXPECT_EQ(summarise_schedules(runs.value()).orders, 3);
}

TEST(Schedules, DoNotDependOnThreads) {
    const ScriptedMachine machine{{{0, 1}, {0, 0, 1}, {1, 0, 1, 0}}};
    const auto one = run_schedules(machine, protocol(300), 1);
    const auto four = run_schedules(machine, protocol(300), 4);
    ASSERT_TRUE(one);
    ASSERT_TRUE(four);
    ASSERT_EQ(one.value().size(), four.value().size());
    for (std::size_t run = 0; run < one.value().size(); ++run)
        EXPECT_EQ(one.value()[run].order, four.value()[run].order);
}

TEST(Schedules, StopWhenAskedAndFailWithTheRun) {
    const auto stopped = run_schedules(ScriptedMachine{{{0, 1}}}, protocol(1000), 2,
                                       [](std::int64_t, std::int64_t) { return false; });
    ASSERT_TRUE(stopped);
    EXPECT_GT(stopped.value().size(), 0U);
    EXPECT_LT(stopped.value().size(), 1000U);
    const auto failed = run_schedules(ScriptedMachine{{{0, 1}, {}}}, protocol(100));
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().what, "this run fails");
}

} // namespace
} // namespace warpbound::harness
