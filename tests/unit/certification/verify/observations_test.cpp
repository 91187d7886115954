/// \file
/// Observed times: statistics, and whether they refute a bound.
#include "tests/unit/certification/sample_report.hpp"

#include <gmock/gmock.h>

#include <numeric>

namespace warpbound::certification {
namespace {

using testing::ElementsAre;

ObservedTimes observed(Report& report, const std::vector<std::int64_t>& times,
                       const std::vector<std::uint64_t>& seeds = {},
                       const std::string& quantity = "execution-time") {
    observe(report, quantity, times, seeds);
    return report.observations.back();
}

TEST(Observations, PercentilesAreNearestRank) {
    Report report;
    std::vector<std::int64_t> times(100);
    std::iota(times.rbegin(), times.rend(), 1);
    const ObservedTimes seen = observed(report, times);
    EXPECT_EQ(seen.best, 1);
    EXPECT_EQ(seen.median, 50);
    EXPECT_EQ(seen.p90, 90);
    EXPECT_EQ(seen.p99, 99);
    EXPECT_EQ(seen.worst, 100);
    EXPECT_DOUBLE_EQ(seen.mean, 50.5);
    const ObservedTimes one = observed(report, {42});
    EXPECT_EQ(one.median, 42);
    EXPECT_EQ(one.p99, 42);
    EXPECT_EQ(observed(report, {1, 2, 3}).median, 2);
}

TEST(Observations, DistinctValuesIncreaseAndCountAll) {
    Report report;
    const ObservedTimes seen = observed(report, {5, 3, 5, 5, 9});
    ASSERT_EQ(seen.distinct, 3);
    EXPECT_EQ(seen.values[0].value, 3);
    EXPECT_EQ(seen.values[1].count, 3);
    EXPECT_EQ(seen.values[2].value, 9);
    EXPECT_EQ(seen.count, 5);
}

TEST(Observations, ATimeOnABoundIsInside) {
    Report report = sample_report();
    EXPECT_EQ(observed(report, {1180, 1234}).outside_bounds, 0);
    EXPECT_FALSE(report.refuted());
}

TEST(Observations, OutsideIsCountedOnBothSidesWithTheFirstRunAndSeeds) {
    Report report = sample_report();
    const ObservedTimes seen = observed(report, {1200, 1235, 1179, 1200}, {11, 12, 13, 14});
    EXPECT_EQ(seen.outside_bounds, 2);
    EXPECT_EQ(seen.first_outside_run, 1);
    EXPECT_THAT(seen.outside_seeds, ElementsAre(12, 13));
    EXPECT_TRUE(report.refuted());
}

TEST(Observations, AtMostTenSeedsAreListed) {
    Report report = sample_report();
    std::vector<std::uint64_t> seeds(30);
    std::iota(seeds.begin(), seeds.end(), 1U);
    const ObservedTimes seen = observed(report, std::vector<std::int64_t>(30, 2000), seeds);
    EXPECT_EQ(seen.outside_bounds, 30);
    EXPECT_EQ(seen.outside_seeds.size(), 10U);
}

TEST(Observations, AreComparedWithClaimsOnTheSameQuantityOnly) {
    Report report = sample_report();
    EXPECT_EQ(observed(report, {1, 99999}, {}, "measured-time").outside_bounds, 0);
    EXPECT_FALSE(report.refuted());
}

TEST(Observations, OfSeveralTimesOfARunAreFoundByTheRun) {
    Report report = sample_report();
    harness::SeriesKey key;
    key.quantity = "execution-time";
    add_observations(report, key,
                     {{.run = 3, .seed = 7, .times = {1200, 1200, 1235, 1236}},
                      {.run = 9, .seed = 8, .times = {1200, 1179}}});
    const ObservedTimes& seen = report.observations.back();
    EXPECT_EQ(seen.count, 6);
    EXPECT_EQ(seen.outside_bounds, 3);
    EXPECT_EQ(seen.first_outside_run, 3);
    EXPECT_THAT(seen.outside_seeds, ElementsAre(7, 7, 8));
}

TEST(Observations, FarApartHaveTheirMean) {
    Report report;
    EXPECT_NEAR(observed(report, {INT64_MIN, INT64_MAX}).mean, 0, 1);
}

TEST(Observations, NoTimesAddNoSeries) {
    Report report;
    add_observations(report, {}, std::vector<harness::Sample>{});
    EXPECT_TRUE(report.observations.empty());
}

} // namespace
} // namespace warpbound::certification
