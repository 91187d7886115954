#include "harness/protocol/modes.hpp"
#include "harness/protocol/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace warpbound::harness {
namespace {

/// Normal times by the sum of twelve uniform numbers.
std::int64_t normal_time(std::mt19937_64& random, double mean, double deviation) {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
        sum += static_cast<double>(random() >> 11U) * 0x1p-53;
    return std::llround(mean + deviation * sum);
}

std::vector<std::int64_t> mixture(std::uint64_t seed, std::size_t count,
                                  const std::vector<double>& means, double deviation) {
    std::mt19937_64 random{seed};
    std::vector<std::int64_t> times;
    for (std::size_t i = 0; i < count; ++i)
        times.push_back(normal_time(random, means[i % means.size()], deviation));
    return times;
}

// The tails of a sample have wide gaps, which are clusters and no modes. At a level of 1 % a few of
// 200 samples may be rejected; the dip test of a normal sample is conservative.
TEST(Modes, AreOneForNormalTimes) {
    std::size_t several = 0;
    for (std::uint64_t seed = 0; seed < 200; ++seed)
        if (summarise(mixture(seed, 300, {4000}, 900)).modes.size() > 1) ++several;
    EXPECT_LE(several, 2U);
}

TEST(Modes, AreFoundWithAndWithoutAGap) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        EXPECT_EQ(summarise(mixture(seed, 600, {1000, 3000}, 50)).modes.size(), 2U);
        EXPECT_EQ(summarise(mixture(seed, 900, {1000, 1300, 1600}, 40)).modes.size(), 3U);
        // Overlapping: no gap between them.
        EXPECT_EQ(summarise(mixture(seed, 2000, {1000, 1500}, 100)).modes.size(), 2U);
    }
}

TEST(Modes, DoNotFollowFromASingleLateTime) {
    auto times = mixture(1, 300, {4000}, 100);
    times.push_back(90'000);
    const Summary summary = summarise(times);
    EXPECT_GT(summary.clusters.size(), 1U);
    ASSERT_EQ(summary.modes.size(), 1U);
    EXPECT_EQ(summary.modes[0].highest, 90'000);
}

// Times of a clock that counts in steps are spread over them.
TEST(Modes, AreOneForATimeOnALattice) {
    for (const std::int64_t step : {1, 2, 16}) {
        std::vector<std::int64_t> times;
        for (const std::int64_t time : mixture(5, 1000, {500}, 3))
            times.push_back(time * step);
        EXPECT_EQ(summarise(times).modes.size(), 1U) << step;
    }
}

TEST(Modes, SayWhereAndWhenTheyWereSeen) {
    auto times = mixture(1, 200, {100}, 5);
    const auto later = mixture(2, 200, {900}, 5);
    times.insert(times.end(), later.begin(), later.end());
    const auto modes = summarise(times).modes;
    ASSERT_EQ(modes.size(), 2U);
    EXPECT_EQ(modes[0].count, 200);
    EXPECT_EQ(modes[0].last_run, 199);
    EXPECT_EQ(modes[1].first_run, 200);
    EXPECT_GT(modes[1].lowest, modes[0].highest);
}

} // namespace
} // namespace warpbound::harness
