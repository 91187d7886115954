/// \file
/// Sums and maxima of distributions: by hand, against every joint distribution of small supports,
/// against sampled sums; never below the truth.

#include "models/statistics/discrete_distribution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <vector>

namespace warpbound::models {
namespace {

using Samples = std::vector<std::int64_t>;

constexpr double rounding = 1e-9;
constexpr std::array<Dependence, 3> all{Dependence::Unknown, Dependence::Independent,
                                        Dependence::Comonotone};

DiscreteDistribution of(const Samples& samples) {
    return DiscreteDistribution::of_samples(samples);
}

Samples random_samples(std::mt19937_64& random, std::size_t count, std::int64_t largest) {
    Samples samples(count);
    std::uniform_int_distribution<std::int64_t> draw{0, largest};
    std::generate(samples.begin(), samples.end(), [&] { return draw(random); });
    return samples;
}

/// P(X + Y > value) of samples that are paired as they stand.
double paired(const Samples& x, const Samples& y, std::int64_t value) {
    std::size_t above = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
        if (x[i] + y[i] > value) ++above;
    return static_cast<double>(above) / static_cast<double>(x.size());
}

TEST(DiscreteDistribution, OfSamplesCountsThoseAbove) {
    const auto x = of({3, 1, 3, 7});
    EXPECT_EQ(x.exceedance(0), 1);
    EXPECT_NEAR(x.exceedance(1), 0.75, rounding);
    EXPECT_NEAR(x.exceedance(2), 0.75, rounding);
    EXPECT_NEAR(x.exceedance(3), 0.25, rounding);
    EXPECT_EQ(x.exceedance(7), 0);
    EXPECT_NEAR(x.plus(10).exceedance(13), 0.25, rounding);
    EXPECT_EQ(x.limited(5).exceedance(5), 0);
    EXPECT_NEAR(x.limited(5).exceedance(4), 0.25, rounding);
}

/// A fair coin 0 or 1, twice. Independent: P(sum > 1) = 1/4, P(sum > 0) = 3/4. Comonotone: 1/2 both
/// times. Unknown: P(sum > 1) <= P(X > 0) + P(Y > 1) = 1/2, P(sum > 0) <= 1/2 + 1/2.
TEST(DiscreteDistribution, SumsOfTwoCoinsByHand) {
    const auto coin = of({0, 1});
    const auto independent = sum(coin, coin, Dependence::Independent);
    EXPECT_NEAR(independent.exceedance(0), 0.75, rounding);
    EXPECT_NEAR(independent.exceedance(1), 0.25, rounding);
    EXPECT_EQ(independent.exceedance(2), 0);
    const auto comonotone = sum(coin, coin, Dependence::Comonotone);
    EXPECT_NEAR(comonotone.exceedance(0), 0.5, rounding);
    EXPECT_NEAR(comonotone.exceedance(1), 0.5, rounding);
    const auto any = sum(coin, coin, Dependence::Unknown);
    EXPECT_NEAR(any.exceedance(0), 1, rounding);
    EXPECT_NEAR(any.exceedance(1), 0.5, rounding);
    EXPECT_EQ(any.exceedance(2), 0);
}

/// Two coins: the larger is 1 with 3/4, 1/2 and at most 1.
TEST(DiscreteDistribution, MaximaOfTwoCoinsByHand) {
    const auto coin = of({0, 1});
    EXPECT_NEAR(maximum(coin, coin, Dependence::Independent).exceedance(0), 0.75, rounding);
    EXPECT_NEAR(maximum(coin, coin, Dependence::Comonotone).exceedance(0), 0.5, rounding);
    EXPECT_NEAR(maximum(coin, coin, Dependence::Unknown).exceedance(0), 1, rounding);
}

/// Band of 0.1 about {2, 4}: P(X > 2) up to 0.6, up to 9 above.
TEST(DiscreteDistribution, EdgeOfABandByHand) {
    const auto x = of({2, 4});
    const auto upper = x.raised(0.1, 9);
    EXPECT_NEAR(upper.exceedance(2), 0.6, rounding);
    EXPECT_NEAR(upper.exceedance(8), 0.1, rounding);
    EXPECT_EQ(upper.exceedance(9), 0);
}

/// More values than steps, and one far above the rest.
TEST(DiscreteDistribution, OfManySamplesKeepsTheirSharesWhereverTheyLie) {
    Samples samples;
    for (std::int64_t value = 1; value <= 2000; ++value)
        samples.push_back(1000 * value);
    samples.push_back(1'000'000'000);
    const auto x = DiscreteDistribution::of_samples(samples);
    EXPECT_LE(x.steps().size(), DiscreteDistribution::most_steps + 1);
    for (const std::int64_t value : {1000, 250'000, 1'500'000, 1'999'000, 2'000'000}) {
        const double above = static_cast<double>(2001 - value / 1000) / 2001;
        EXPECT_GE(x.exceedance(value), above) << value;
        EXPECT_LE(x.exceedance(value), above + 1.0 / 1024 + rounding) << value;
    }
    EXPECT_EQ(x.exceedance(1'000'000'000), 0);
}

/// All joint distributions of two samples of n equal masses are mixtures of their n! pairings
/// (Birkhoff), so the largest exceedance is that of a pairing.
TEST(DiscreteDistribution, UnknownDependenceIsAttainedByAPairing) {
    std::mt19937_64 random{20261127};
    for (int round = 0; round < 200; ++round) {
        const Samples x = random_samples(random, 5, 12);
        const Samples y = random_samples(random, 5, 12);
        const auto bound = sum(of(x), of(y), Dependence::Unknown);
        for (std::int64_t value = 0; value <= 24; ++value) {
            double worst = 0;
            std::array<std::size_t, 5> order{0, 1, 2, 3, 4};
            do {
                Samples paired_y;
                for (const std::size_t i : order)
                    paired_y.push_back(y[i]);
                worst = std::max(worst, paired(x, paired_y, value));
            } while (std::next_permutation(order.begin(), order.end()));
            ASSERT_GE(bound.exceedance(value), worst) << "round " << round << ", value " << value;
            ASSERT_NEAR(bound.exceedance(value), worst, rounding)
                << "round " << round << ", value " << value;
        }
    }
}

/// Of three, every pairing lies below.
TEST(DiscreteDistribution, NoPairingOfThreeIsAboveUnknownDependence) {
    std::mt19937_64 random{7};
    for (int round = 0; round < 30; ++round) {
        const Samples x = random_samples(random, 4, 9);
        const Samples y = random_samples(random, 4, 9);
        const Samples z = random_samples(random, 4, 9);
        const auto bound = sum(sum(of(x), of(y), Dependence::Unknown), of(z), Dependence::Unknown);
        std::array<std::size_t, 4> first{0, 1, 2, 3};
        do {
            std::array<std::size_t, 4> second{0, 1, 2, 3};
            do {
                Samples rest;
                for (std::size_t i = 0; i < 4; ++i)
                    rest.push_back(y[first.at(i)] + z[second.at(i)]);
                for (std::int64_t value = 0; value <= 27; ++value)
                    ASSERT_GE(bound.exceedance(value), paired(x, rest, value)) << round;
            } while (std::next_permutation(second.begin(), second.end()));
        } while (std::next_permutation(first.begin(), first.end()));
    }
}

/// Exact by definition: every pair of samples has the same mass.
TEST(DiscreteDistribution, IndependentSumIsTheConvolution) {
    std::mt19937_64 random{11};
    for (int round = 0; round < 50; ++round) {
        const Samples x = random_samples(random, 8, 30);
        const Samples y = random_samples(random, 6, 30);
        const auto found = sum(of(x), of(y), Dependence::Independent);
        for (std::int64_t value = 0; value <= 60; ++value) {
            std::size_t above = 0;
            for (const std::int64_t a : x)
                above += static_cast<std::size_t>(std::count_if(
                    y.begin(), y.end(), [&](std::int64_t b) { return a + b > value; }));
            const double exact = static_cast<double>(above) / static_cast<double>(8 * 6);
            ASSERT_GE(found.exceedance(value), exact - 1e-15);
            ASSERT_NEAR(found.exceedance(value), exact, rounding);
        }
    }
}

/// 200,000 drawn sums of five quantities; five standard errors, and what merging may add.
TEST(DiscreteDistribution, IndependentSumOfFiveAgreesWithDrawnSums) {
    std::mt19937_64 random{13};
    std::vector<Samples> all_samples;
    auto total = DiscreteDistribution::constant(0);
    for (int i = 0; i < 5; ++i) {
        all_samples.push_back(random_samples(random, 3000, 1'000'000));
        total = sum(total, of(all_samples.back()), Dependence::Independent);
    }
    constexpr int draws = 200'000;
    Samples sums;
    for (int draw = 0; draw < draws; ++draw) {
        std::int64_t one = 0;
        for (const Samples& samples : all_samples)
            one += samples[random() % samples.size()];
        sums.push_back(one);
    }
    for (const std::int64_t value : {1'500'000, 2'500'000, 3'500'000, 4'200'000}) {
        const double drawn =
            static_cast<double>(std::count_if(sums.begin(), sums.end(),
                                              [&](std::int64_t one) { return one > value; })) /
            draws;
        const double error = 5 * std::sqrt(drawn * (1 - drawn) / draws) + 1e-5;
        EXPECT_GE(total.exceedance(value), drawn - error) << value;
        EXPECT_LE(total.exceedance(value), drawn + error + 0.01) << value;
    }
}

/// For comonotone quantities the samples are paired in order.
TEST(DiscreteDistribution, ComonotoneSumPairsInOrder) {
    std::mt19937_64 random{17};
    for (int round = 0; round < 50; ++round) {
        Samples x = random_samples(random, 20, 50);
        Samples y = random_samples(random, 20, 50);
        std::sort(x.begin(), x.end());
        std::sort(y.begin(), y.end());
        const auto found = sum(of(x), of(y), Dependence::Comonotone);
        for (std::int64_t value = 0; value <= 100; ++value)
            ASSERT_NEAR(found.exceedance(value), paired(x, y, value), rounding);
    }
}

/// Many steps, so that they are merged: still not below the exact ones, and maxima in order.
TEST(DiscreteDistribution, MergingStepsRoundsUp) {
    std::mt19937_64 random{19};
    const Samples x = random_samples(random, 5000, 3'000'000);
    const Samples y = random_samples(random, 5000, 7'000'000);
    EXPECT_LE(of(x).steps().size(), DiscreteDistribution::most_steps);
    const auto any = sum(of(x), of(y), Dependence::Unknown);
    constexpr std::int64_t most_merged = 7'000'000 / DiscreteDistribution::most_steps + 1;
    std::vector<DiscreteDistribution> maxima;
    for (const Dependence dependence : all)
        maxima.push_back(maximum(of(x), of(y), dependence));
    const auto single = of(x);
    Samples sorted = x;
    std::sort(sorted.begin(), sorted.end());
    for (std::int64_t value = 0; value <= 10'000'000; value += 50'000) {
        const double exact =
            static_cast<double>(sorted.end() -
                                std::upper_bound(sorted.begin(), sorted.end(), value)) /
            static_cast<double>(sorted.size());
        ASSERT_GE(single.exceedance(value), exact);
        ASSERT_GE(any.exceedance(value), paired(x, y, value));
        for (std::size_t i = 0; i + 1 < maxima.size(); ++i)
            ASSERT_LE(maxima[i + 1].exceedance(value),
                      maxima[i].exceedance(value - most_merged) + rounding);
    }
}

TEST(DiscreteDistribution, SmallSumsAreNeverAboveUnknownDependence) {
    std::mt19937_64 random{23};
    for (int round = 0; round < 100; ++round) {
        const auto x = of(random_samples(random, 1 + random() % 9, 40));
        const auto y = of(random_samples(random, 1 + random() % 9, 40));
        const auto any = sum(x, y, Dependence::Unknown);
        for (const Dependence dependence : all) {
            const auto known = sum(x, y, dependence);
            for (std::int64_t value = -1; value <= 81; ++value)
                ASSERT_LE(known.exceedance(value), any.exceedance(value) + rounding);
        }
    }
}

TEST(DiscreteDistribution, SumsBeyondTheRangeAreRefused) {
    const auto large = DiscreteDistribution::constant(std::int64_t{1} << 62U);
    EXPECT_THROW(sum(large, large, Dependence::Unknown), std::overflow_error);
    EXPECT_THROW((void)large.plus(std::int64_t{1} << 62U), std::overflow_error);
}

} // namespace
} // namespace warpbound::models
