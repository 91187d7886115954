#include "harness/protocol/statistics.hpp"

#include <gtest/gtest.h>

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
TEST(Summary, KeepsTheSpreadBesideALargeOffset) {
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
TEST(Summary, SplitsModesAtWideGaps) {
    const std::vector<std::int64_t> samples{616, 618, 620, 616, 716, 718};
    const Summary summary = summarise(samples);
    ASSERT_EQ(summary.modes.size(), 2U);
    EXPECT_EQ(summary.modes[0].count, 4);
    EXPECT_EQ(summary.modes[1].lowest, 716);
    EXPECT_EQ(summary.modes[1].first_run, 4);
}

} // namespace
} // namespace warpbound::harness
