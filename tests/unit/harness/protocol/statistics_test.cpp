#include "harness/protocol/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace warpbound::harness {
namespace {

TEST(Summary, TakesNearestRanks) {
    std::vector<std::int64_t> samples;
    for (std::int64_t i = 100; i >= 1; --i)
        samples.push_back(i);
    const Summary summary = summarise(samples);
    EXPECT_EQ(summary.best, 1);
    EXPECT_EQ(summary.worst, 100);
    EXPECT_EQ(summary.median, 50); // rank ceil(0.5 * 100)
    EXPECT_EQ(summary.p90, 90);
    EXPECT_EQ(summary.p99, 99);
    EXPECT_DOUBLE_EQ(summary.mean, 50.5);
    EXPECT_EQ(summary.first_worst_run, 0);
    EXPECT_TRUE(summary.values.empty()); // more than 64 distinct values
}

// Variance of {1, 2} with n - 1 is 1/2, wherever the values lie.
TEST(Summary, KeepsTheDeviationWithALargeOffset) {
    const std::vector<std::int64_t> samples{1'000'000'000'000'001, 1'000'000'000'000'002};
    EXPECT_NEAR(summarise(samples).standard_deviation, 0.7071067811865476, 1e-12);
}

TEST(Summary, DescribesAConstantSample) {
    const std::vector<std::int64_t> samples(500, 42);
    const Summary summary = summarise(samples);
    EXPECT_EQ(summary.distinct, 1);
    EXPECT_EQ(summary.standard_deviation, 0);
    ASSERT_EQ(summary.modes.size(), 1U);
    EXPECT_EQ(summary.modes[0].count, 500);
}

// Differences 2, 2, 96, 2: lattice step 2, median gap 2, so gaps above 16 split.
TEST(Summary, SplitsClustersAtWideGaps) {
    const std::vector<std::int64_t> samples{616, 618, 620, 616, 716, 718};
    const Summary summary = summarise(samples);
    ASSERT_EQ(summary.clusters.size(), 2U);
    EXPECT_EQ(summary.clusters[0].count, 4);
    EXPECT_EQ(summary.clusters[1].lowest, 716);
    EXPECT_EQ(summary.clusters[1].first_run, 4);
}

constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();

// {-2^63, 2^63 - 1}: distance 2^64 - 1, mean -1/2 (0 after rounding to a double's 53 bits next
// to 2^63), deviation (2^64 - 1) / sqrt(2). One gap is the usual gap, so it splits nothing.
TEST(Summary, HoldsTheExtremesOfATime) {
    const std::vector<std::int64_t> samples{highest, lowest};
    const Summary summary = summarise(samples);
    EXPECT_EQ(summary.best, lowest);
    EXPECT_EQ(summary.worst, highest);
    EXPECT_NEAR(summary.mean, 0, 2048);
    EXPECT_DOUBLE_EQ(summary.standard_deviation, 18446744073709551615.0 / std::sqrt(2.0));
    ASSERT_EQ(summary.modes.size(), 1U);
    EXPECT_EQ(summary.modes[0].lowest, lowest);
    EXPECT_EQ(summary.modes[0].highest, highest);
}

// Gaps 1, 2^63 - 2, 2^63 - 1, 1: the lower median is 1, the wide ones split.
TEST(Summary, SplitsClustersAtGapsBeyondTheRangeOfATime) {
    const std::vector<std::int64_t> samples{lowest, lowest + 1, -1, highest - 1, highest};
    const Summary summary = summarise(samples);
    ASSERT_EQ(summary.clusters.size(), 3U);
    EXPECT_EQ(summary.clusters[0].count, 2);
    EXPECT_EQ(summary.clusters[1].lowest, -1);
    EXPECT_EQ(summary.clusters[2].lowest, highest - 1);
    EXPECT_EQ(summary.clusters[2].first_run, 3);
}

// All gaps 2^61 and more: eight times that is beyond 64 bits, and no gap is wider.
TEST(Summary, KeepsOneClusterWhereEightUsualGapsOverflow) {
    constexpr std::int64_t step = std::int64_t{1} << 61U;
    const std::vector<std::int64_t> samples{lowest, lowest + step, -step, 0, 3 * step};
    EXPECT_EQ(summarise(samples).clusters.size(), 1U);
}

// Ten thousand equal extremes: a sum of them would not fit into 64 bits. Their deviation is 0.
TEST(Summary, AddsUpExtremesWithoutOverflow) {
    const std::vector<std::int64_t> samples(10'000, highest);
    const Summary summary = summarise(samples);
    EXPECT_EQ(summary.standard_deviation, 0);
    EXPECT_DOUBLE_EQ(summary.mean, static_cast<double>(highest));
}

} // namespace
} // namespace warpbound::harness
