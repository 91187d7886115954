/// \file
/// Extreme-value statistics against published values and other implementations.

#include "assembly/support/source_text.hpp"
#include "harness/protocol/order_tests.hpp"
#include "harness/protocol/stationarity_tests.hpp"
#include "models/statistics/extremes.hpp"
#include "models/statistics/goodness_of_fit.hpp"
#include "models/statistics/l_moments.hpp"
#include "models/statistics/limit_distributions.hpp"
#include "models/statistics/maximum_likelihood.hpp"
#include "models/statistics/per_run.hpp"
#include "models/statistics/residual_variation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace warpbound::models {
namespace {

/// The golden sample of the reference page: 40 Gumbel quantiles, rounded to three decimals.
std::vector<double> golden_sample() {
    std::vector<double> x;
    for (int i = 0; i < 40; ++i)
        x.push_back(std::round(1000 * (1000 - 25 * std::log(-std::log((i + 0.56) / 40.12)))) /
                    1000);
    return x;
}

std::vector<double> golden_series() {
    const auto x = golden_sample();
    std::vector<double> series;
    for (std::size_t j = 0; j < x.size(); ++j)
        series.push_back(x[(17 * j + 5) % 40]);
    return series;
}

constexpr std::array probabilities{1e-3, 1e-6, 1e-9, 1e-12};

TEST(GoldenSample, HasThePublishedLMoments) {
    const LMoments moments = l_moments(golden_sample());
    EXPECT_NEAR(moments.l1, 1014.151925, 1e-8);
    EXPECT_NEAR(moments.l2, 17.331212179, 1e-8);
    EXPECT_NEAR(moments.l3, 2.897175810, 1e-8);
}

TEST(GoldenSample, HasThePublishedFitsByLMoments) {
    const LMoments moments = l_moments(golden_sample());
    const auto hosking = extreme_value_by_hosking(moments).value();
    EXPECT_NEAR(hosking.location, 999.768794, 1e-6);
    EXPECT_NEAR(hosking.scale, 25.103280, 1e-6);
    EXPECT_NEAR(hosking.shape, -0.00432158, 1e-8);
    const auto newton = extreme_value_by_l_moments(moments).value();
    EXPECT_NEAR(newton.location, 999.768536, 1e-6);
    EXPECT_NEAR(newton.scale, 25.102761, 1e-6);
    EXPECT_NEAR(newton.shape, -0.00429904, 1e-8);
    const auto gumbel = gumbel_by_l_moments(moments).value();
    EXPECT_NEAR(gumbel.location, 999.719424, 1e-6);
    EXPECT_NEAR(gumbel.scale, 25.003654, 1e-6);
}

TEST(GoldenSample, HasThePublishedFitsByMaximumLikelihood) {
    const auto x = golden_sample();
    const auto gev = fit_extreme_value(x).value();
    EXPECT_NEAR(gev.distribution.location, 1000.216353, 1e-4);
    EXPECT_NEAR(gev.distribution.scale, 24.427904, 1e-4);
    EXPECT_NEAR(gev.distribution.shape, -0.01051156, 1e-6);
    EXPECT_NEAR(gev.negative_log_likelihood, 190.811404, 1e-6);
    const auto gumbel = fit_gumbel(x).value();
    EXPECT_NEAR(gumbel.distribution.location, 1000.078069, 1e-4);
    EXPECT_NEAR(gumbel.distribution.scale, 24.341860, 1e-4);
    EXPECT_NEAR(gumbel.negative_log_likelihood, 190.814901, 1e-6);
    constexpr std::array of_gev{1162.966, 1314.340, 1455.100, 1586.003};
    constexpr std::array of_gumbel{1168.213, 1336.373, 1504.521, 1672.669};
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        const BlockMaximaFit<GeneralizedExtremeValue> first{gev.distribution, 1};
        const BlockMaximaFit<Gumbel> second{gumbel.distribution, 1};
        EXPECT_NEAR(quantile_per_run(first, probabilities[i]).value(), of_gev[i], 0.02);
        EXPECT_NEAR(quantile_per_run(second, probabilities[i]).value(), of_gumbel[i], 0.01);
    }
}

TEST(GoldenSample, HasThePublishedResidualVariation) {
    const auto x = golden_sample();
    const auto excesses = largest_excesses(x, 15).value();
    ASSERT_EQ(excesses.values.size(), 15U);
    EXPECT_GT(excesses.values.front(), 0);
    const double population = residual_variation(excesses.values);
    EXPECT_NEAR(population, 0.835216, 1e-6);
    EXPECT_NEAR(population * std::sqrt(15.0 / 14), 0.864530, 1e-6); // The sample's form.
    EXPECT_NEAR(variation_band(15), 0.50607, 1e-5);
    for (const auto& point : variation_plot(x))
        if (point.count == 15) {
            EXPECT_NEAR(point.variation, population, 1e-12);
        }
}

TEST(GoldenSeries, HasThePublishedTestsOfOrder) {
    const auto series = golden_series();
    const auto box = harness::ljung_box_test(series, 5).decision.value();
    EXPECT_NEAR(box.statistic, 6.4921271187, 1e-9);
    EXPECT_NEAR(box.p_value, 0.261231891, 1e-9);
    const auto runs = harness::runs_test(series).decision.value();
    EXPECT_NEAR(runs.statistic, 4.164701291, 1e-8);
    EXPECT_NEAR(runs.p_value, 3.1176e-5, 1e-9);
    const auto halves = harness::halves_test(series).decision.value();
    EXPECT_NEAR(halves.statistic, 0.15, 1e-12);
    EXPECT_NEAR(halves.p_value, 0.978036, 1e-6);
}

/// Kwiatkowski et al. 1992, Table 1 (level stationarity), by simulation; Anderson and Darling 1952,
/// Table 1, exact. Tolerance of the first: 0.001, the error of their 50,000 replicates.
TEST(CramerVonMises, HasThePublishedCriticalValues) {
    EXPECT_NEAR(cramer_von_mises_exceedance(0.34730), 0.10, 1e-5);
    EXPECT_NEAR(cramer_von_mises_exceedance(0.46136), 0.05, 1e-5);
    EXPECT_NEAR(cramer_von_mises_exceedance(0.74346), 0.01, 1e-5);
    EXPECT_NEAR(cramer_von_mises_exceedance(0.347), 0.10, 0.001);
    EXPECT_NEAR(cramer_von_mises_exceedance(0.463), 0.05, 0.001);
    EXPECT_NEAR(cramer_von_mises_exceedance(0.574), 0.025, 0.0015);
    EXPECT_NEAR(cramer_von_mises_exceedance(0.739), 0.01, 0.001);
}

/// Fisher 1929, Table 1: shares that the largest of n exceeds with 5 % and 1 %.
TEST(LargestShare, HasThePublishedCriticalValues) {
    EXPECT_NEAR(largest_share_exceedance(0.68377, 5), 0.05, 1e-5);
    EXPECT_NEAR(largest_share_exceedance(0.78853, 5), 0.01, 1e-5);
    EXPECT_NEAR(largest_share_exceedance(0.44495, 10), 0.05, 1e-4);
    EXPECT_NEAR(largest_share_exceedance(0.27046, 20), 0.05, 1e-4);
}

TEST(Kolmogorov, HasThePublishedCriticalValue) {
    EXPECT_NEAR(kolmogorov_exceedance(1.358), 0.05, 1e-4);
}

/// Stephens 1977: critical values of Gumbel with both parameters fitted, times 1 + 0.2 / sqrt(n).
/// Tolerance: three standard errors of 1999 replicates, 0.015 at 5 %.
TEST(GoodnessOfFit, HasStephensCriticalValuesOfGumbel) {
    const auto x = golden_sample();
    const auto fit = fit_gumbel(x).value().distribution;
    const Estimator<Gumbel> estimator = [](std::span<const double> values) {
        return std::optional{fit_gumbel(values)->distribution};
    };
    // The largest deviations are found by shifting the fitted location until A2 is critical.
    const double critical = 0.757 / (1 + 0.2 / std::sqrt(40.0));
    double lo = 0;
    double hi = 60;
    const auto a2_at = [&](double shift) {
        std::vector<double> probabilities;
        for (const double value : x)
            probabilities.push_back(cumulative(Gumbel{fit.location + shift, fit.scale}, value));
        return anderson_darling(probabilities);
    };
    for (int i = 0; i < 60; ++i)
        (a2_at((lo + hi) / 2) < critical ? lo : hi) = (lo + hi) / 2;
    const Gumbel shifted{fit.location + lo, fit.scale};
    const auto tested =
        goodness_of_fit(shifted, std::span<const double>{x}, estimator, {{}, 1, 1999});
    EXPECT_NEAR(tested.a2.statistic, critical, 1e-9);
    EXPECT_NEAR(tested.a2.p_value, 0.05, 0.015);
}

struct PublishedSet {
    std::vector<double> values;
    std::map<std::string, double> golden;
};

/// scipy, lmoments3 and pyextremes on ten samples (extreme_values.py).
std::map<std::string, PublishedSet> published_sets() {
    const auto source =
        assembly::read_source(WARPBOUND_SOURCE_DIR "/tests/published/extreme_values.csv");
    EXPECT_TRUE(source);
    std::map<std::string, PublishedSet> sets;
    const std::string& text = source.value().text;
    for (std::size_t at = text.find('\n') + 1; at < text.size();) {
        const std::size_t first = text.find(',', at);
        const std::size_t second = text.find(',', first + 1);
        const std::size_t end = text.find('\n', second);
        const std::string quantity = text.substr(first + 1, second - first - 1);
        const double value = std::stod(text.substr(second + 1, end - second - 1));
        auto& set = sets[text.substr(at, first - at)];
        if (quantity == "x")
            set.values.push_back(value);
        else
            set.golden[quantity] = value;
        at = end + 1;
    }
    return sets;
}

class PublishedSets : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(sets.size(), 10U); }
    std::map<std::string, PublishedSet> sets = published_sets();
};

/// Tolerance: the digits of a double after sums over 200 values.
TEST_F(PublishedSets, HaveTheLMomentsOfLmoments3) {
    for (const auto& [name, set] : sets) {
        auto sorted = set.values;
        std::sort(sorted.begin(), sorted.end());
        const LMoments moments = l_moments(sorted);
        EXPECT_NEAR(moments.l1, set.golden.at("l1"), 1e-9 * moments.l1) << name;
        EXPECT_NEAR(moments.l2, set.golden.at("l2"), 1e-8 * moments.l2) << name;
        EXPECT_NEAR(moments.skewness, set.golden.at("t3"), 1e-7) << name;
        const auto gumbel = gumbel_by_l_moments(moments).value();
        EXPECT_NEAR(gumbel.location, set.golden.at("gumbel-l-location"), 1e-6) << name;
        EXPECT_NEAR(gumbel.scale, set.golden.at("gumbel-l-scale"), 1e-6) << name;
        // lmoments3 solves for the shape to 1e-6.
        const auto gev = extreme_value_by_l_moments(moments).value();
        EXPECT_NEAR(gev.shape, set.golden.at("gev-l-shape"), 1e-5) << name;
        EXPECT_NEAR(gev.scale, set.golden.at("gev-l-scale"), 1e-4 * gev.scale) << name;
        EXPECT_NEAR(gev.location, set.golden.at("gev-l-location"), 1e-4 * gev.scale) << name;
    }
}

/// The likelihood may not be worse than scipy's; parameters agree to the flatness of its top.
TEST_F(PublishedSets, HaveTheMaximumLikelihoodOfScipy) {
    for (const auto& [name, set] : sets) {
        const auto gumbel = fit_gumbel(set.values).value();
        EXPECT_NEAR(gumbel.negative_log_likelihood, set.golden.at("gumbel-nll"), 1e-6) << name;
        EXPECT_NEAR(gumbel.distribution.scale, set.golden.at("gumbel-scale"),
                    1e-5 * gumbel.distribution.scale)
            << name;
        const auto gev = fit_extreme_value(set.values).value();
        EXPECT_LE(gev.negative_log_likelihood, set.golden.at("gev-nll") + 1e-6) << name;
        EXPECT_NEAR(gev.negative_log_likelihood, set.golden.at("gev-nll"), 1e-5) << name;
        EXPECT_NEAR(gev.distribution.shape, set.golden.at("gev-shape"), 1e-4) << name;
        EXPECT_NEAR(gev.distribution.scale, set.golden.at("gev-scale"),
                    1e-3 * gev.distribution.scale)
            << name;
        for (const auto& [p, text] : {std::pair{1e-3, "0.001"}, {1e-6, "1e-06"}, {1e-9, "1e-09"}}) {
            const double light =
                quantile_per_run(BlockMaximaFit<Gumbel>{gumbel.distribution, 1}, p).value();
            EXPECT_NEAR(light, set.golden.at(std::string{"gumbel-at-"} + text), 1e-4 * light)
                << name;
            const double full =
                quantile_per_run(BlockMaximaFit<GeneralizedExtremeValue>{gev.distribution, 1}, p)
                    .value();
            EXPECT_NEAR(full, set.golden.at(std::string{"gev-at-"} + text), 5e-3 * full) << name;
        }
    }
}

TEST_F(PublishedSets, HaveTheParetoFitsOfScipyAndPyextremes) {
    for (const auto& [name, set] : sets) {
        auto sorted = set.values;
        std::sort(sorted.begin(), sorted.end());
        const auto excesses = excesses_over(sorted, set.golden.at("threshold"));
        ASSERT_EQ(static_cast<double>(excesses.values.size()), set.golden.at("excesses")) << name;
        const auto fit = fit_pareto(excesses.values).value();
        EXPECT_NEAR(fit.negative_log_likelihood, set.golden.at("gpd-nll"), 1e-6) << name;
        EXPECT_NEAR(fit.distribution.shape, set.golden.at("gpd-shape"), 1e-4) << name;
        EXPECT_NEAR(fit.distribution.scale, set.golden.at("gpd-scale"),
                    1e-3 * fit.distribution.scale)
            << name;
        const auto by_moments = pareto_by_l_moments(l_moments(excesses.values)).value();
        EXPECT_NEAR(by_moments.shape, set.golden.at("gpd-l-shape"), 1e-7) << name;
        EXPECT_NEAR(by_moments.scale, set.golden.at("gpd-l-scale"), 1e-5) << name;
        EXPECT_NEAR(residual_variation(excesses.values), set.golden.at("cv"), 1e-9) << name;
        // pyextremes divides by the time between the first and the last run, n - 1 seconds.
        const double rate = static_cast<double>(excesses.values.size()) /
                            static_cast<double>(set.values.size() - 1);
        const ThresholdFit<GeneralizedPareto> tail{fit.distribution, excesses.threshold, rate};
        const double time = quantile_per_run(tail, 1e-3).value();
        EXPECT_NEAR(time, set.golden.at("pyextremes-gpd-at-1e-3"), 2e-3 * time) << name;
    }
}

} // namespace
} // namespace warpbound::models
