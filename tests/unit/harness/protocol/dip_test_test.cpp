#include "harness/protocol/dip_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace warpbound::harness {
namespace {

// Faculty quality of 63 statistics departments (Hartigan and Hartigan 1985). The R package diptest
// gives 0.05952381.
TEST(DipTest, GivesThePublishedDip) {
    const std::vector<double> quality{
        30, 33, 35, 36, 37, 37, 39, 39, 39, 39, 39, 40, 40, 40, 40, 41, 42, 43, 43, 43, 44,
        44, 45, 45, 46, 46, 47, 47, 48, 48, 48, 49, 50, 50, 51, 52, 52, 53, 53, 53, 53, 53,
        54, 54, 57, 57, 59, 60, 60, 60, 61, 61, 61, 61, 62, 62, 62, 62, 63, 66, 70, 72, 72};
    EXPECT_NEAR(dip_of(quality), 0.05952381, 5e-9);
    EXPECT_LT(dip_of(quality), critical_dip(quality.size()));
}

TEST(DipTest, LiesBetweenItsLimits) {
    std::vector<double> even(50);
    for (std::size_t i = 0; i < even.size(); ++i)
        even[i] = static_cast<double>(i);
    EXPECT_DOUBLE_EQ(dip_of(even), 0.01); // 1 / (2 n)
    std::vector<double> two(50, 0.0);
    two.resize(100, 1.0);
    EXPECT_DOUBLE_EQ(dip_of(two), 0.25);
    EXPECT_EQ(dip_of(std::vector<double>(10, 3.0)), 0);
    EXPECT_EQ(dip_of(std::vector<double>{1.0}), 0);
}

std::vector<double> uniform_sample(std::mt19937_64& random, std::size_t count) {
    std::vector<double> sample(count);
    for (double& value : sample)
        value = static_cast<double>(random() >> 11U) * 0x1p-53;
    std::sort(sample.begin(), sample.end());
    return sample;
}

TEST(DipTest, IsTheSameForTheMirroredAndScaledSample) {
    std::mt19937_64 random{3};
    for (int i = 0; i < 50; ++i) {
        const auto sample = uniform_sample(random, 40);
        std::vector<double> mirrored;
        for (auto value = sample.rbegin(); value != sample.rend(); ++value)
            mirrored.push_back(7 - 1000 * *value);
        EXPECT_NEAR(dip_of(sample), dip_of(mirrored), 1e-9);
    }
}

// Quantiles of the dip of 50 uniform numbers: 0.0489 (50 %), 0.0703 (95 %), 0.0812 (99 %).
TEST(DipTest, HasThePublishedQuantilesUnderUniformSamples) {
    std::mt19937_64 random{1};
    std::vector<double> dips;
    for (int i = 0; i < 4000; ++i)
        dips.push_back(dip_of(uniform_sample(random, 50)));
    std::sort(dips.begin(), dips.end());
    EXPECT_NEAR(dips[2000], 0.0489, 0.0007);
    EXPECT_NEAR(dips[3800], 0.0703, 0.0015);
    EXPECT_NEAR(dips[3960], critical_dip(50), 0.0030);
}

TEST(DipTest, InterpolatesTheCriticalValue) {
    EXPECT_TRUE(std::isinf(critical_dip(3)));
    EXPECT_DOUBLE_EQ(critical_dip(4), 0.23180);
    EXPECT_DOUBLE_EQ(critical_dip(100), 0.05902);
    EXPECT_LT(critical_dip(150), critical_dip(100));
    EXPECT_GT(critical_dip(150), critical_dip(200));
    EXPECT_NEAR(critical_dip(7'200'000), 0.000236, 1e-9);
}

} // namespace
} // namespace warpbound::harness
