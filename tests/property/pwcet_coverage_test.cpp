/// \file
/// Quantiles per run: exact corrections for blocks and thresholds, and the coverage of intervals in
/// synthetic campaigns. WARPBOUND_PROPERTY_CASES chooses how many, WARPBOUND_PROPERTY_SEED the
/// first.

#include "models/statistics/extremes.hpp"
#include "models/statistics/goodness_of_fit.hpp"
#include "models/statistics/maximum_likelihood.hpp"
#include "models/statistics/per_run.hpp"
#include "models/statistics/quantile_interval.hpp"
#include "models/statistics/resampling.hpp"
#include "models/statistics/residual_variation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

namespace warpbound::models {
namespace {

constexpr std::array probabilities{1e-3, 1e-6, 1e-9, 1e-12};

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// A run that is Gumbel(1000, 25) has maxima of m runs that are Gumbel(1000 + 25 ln m, 25).
TEST(QuantilePerRun, OfGumbelRunsIsTheSameForEveryBlock) {
    for (const std::int64_t m : {1, 2, 10, 50, 1000})
        for (const double p : probabilities) {
            const BlockMaximaFit<Gumbel> fit{{1000 + 25 * std::log(static_cast<double>(m)), 25}, m};
            EXPECT_NEAR(quantile_per_run(fit, p).value(), 1000 - 25 * std::log(-std::log1p(-p)),
                        1e-8);
            EXPECT_NEAR(exceedance_per_run(fit, quantile_per_run(fit, p).value()), p, 1e-9 * p);
        }
}

TEST(QuantilePerRun, OfExtremeValueRunsIsTheSameForEveryBlock) {
    for (const double xi : {-0.3, -0.05, 0.1, 0.3})
        for (const std::int64_t m : {1, 2, 10, 50, 1000})
            for (const double p : probabilities) {
                const double power = std::pow(static_cast<double>(m), xi);
                const BlockMaximaFit<GeneralizedExtremeValue> fit{
                    {1000 + 25 / xi * (power - 1), 25 * power, xi}, m};
                const BlockMaximaFit<GeneralizedExtremeValue> run{{1000, 25, xi}, 1};
                const double expected = quantile_per_run(run, p).value();
                EXPECT_NEAR(quantile_per_run(fit, p).value(), expected, 1e-9 * expected);
            }
}

/// Excesses over a higher threshold of a GPD tail: scale + xi (u' - u), and fewer runs.
TEST(QuantilePerRun, OfParetoTailsIsTheSameForEveryThreshold) {
    for (const double xi : {-0.3, 0.0, 0.2})
        for (const double higher : {0.0, 5.0, 40.0})
            for (const double p : {1e-6, 1e-9, 1e-12}) {
                const GeneralizedPareto tail{30, xi};
                const ThresholdFit<GeneralizedPareto> fit{
                    {30 + xi * higher, xi}, 500 + higher, 0.2 * exceedance(tail, higher)};
                const ThresholdFit<GeneralizedPareto> lowest{tail, 500, 0.2};
                const double expected = quantile_per_run(lowest, p).value();
                EXPECT_NEAR(quantile_per_run(fit, p).value(), expected, 1e-9 * expected);
                EXPECT_NEAR(exceedance_per_run(fit, expected), p, 1e-6 * p);
            }
}

TEST(QuantilePerRun, OfExponentialRunsIsThatOfTheRate) {
    for (const double u : {0.0, 50.0, 300.0})
        for (const double p : {1e-6, 1e-9, 1e-12}) {
            const ThresholdFit<Exponential> fit{{100}, u, std::exp(-u / 100)};
            EXPECT_NEAR(quantile_per_run(fit, p).value(), -100 * std::log(p), 1e-8);
        }
}

/// The quantile of a block taken for one of a run is off by ln(m) scales: far outside 0.01.
TEST(QuantilePerRun, IsNotTheQuantilePerBlock) {
    const BlockMaximaFit<Gumbel> fit{{1000 + 25 * std::log(50.0), 25}, 50};
    const double per_block = value_at(fit.maxima, -std::log1p(-1e-9));
    EXPECT_NEAR(per_block - quantile_per_run(fit, 1e-9).value(), 25 * std::log(50.0), 0.01);
}

TEST(QuantilePerRun, IsContinuousThroughShapeZero) {
    const double gumbel = quantile_per_run(BlockMaximaFit<Gumbel>{{1000, 25}, 50}, 1e-9).value();
    const double exponential =
        quantile_per_run(ThresholdFit<Exponential>{{25}, 1000, 0.1}, 1e-9).value();
    for (const double xi : {-1e-7, 0.0, 1e-7}) {
        const BlockMaximaFit<GeneralizedExtremeValue> maxima{{1000, 25, xi}, 50};
        EXPECT_NEAR(quantile_per_run(maxima, 1e-9).value(), gumbel, 1e-6 * gumbel);
        const ThresholdFit<GeneralizedPareto> excess{{25, xi}, 1000, 0.1};
        EXPECT_NEAR(quantile_per_run(excess, 1e-9).value(), exponential, 1e-6 * exponential);
    }
}

/// chronovise takes the smallest exceedance of several inputs, which is optimistic.
TEST(Envelope, OfSeveralInputsExceedsEachOfThem) {
    const std::vector<TailFit> inputs{BlockMaximaFit<Gumbel>{{1000, 25}, 50},
                                      ThresholdFit<Exponential>{{60}, 900, 0.1}};
    for (double x = 900; x < 3000; x += 10) {
        const double both = envelope_exceedance(inputs, x);
        for (const TailFit& input : inputs)
            EXPECT_GE(both, exceedance_per_run(input, x));
        EXPECT_TRUE(both == exceedance_per_run(inputs[0], x) ||
                    both == exceedance_per_run(inputs[1], x));
    }
    for (const double p : probabilities)
        EXPECT_EQ(envelope_quantile(inputs, p).value(),
                  std::max(quantile_per_run(inputs[0], p).value(),
                           quantile_per_run(inputs[1], p).value()));
}

// --- Coverage ---

constexpr std::size_t runs = 1000;
constexpr std::size_t replicates = 1999; // As the program has.

std::vector<double> drawn(std::uint64_t campaign, std::string_view name, auto value_of) {
    Resampling random{number_from("WARPBOUND_PROPERTY_SEED", 1), name, campaign};
    std::vector<double> values(runs);
    for (double& value : values)
        value = value_of(random.uniform());
    return values;
}

/// Intervals that hold the true quantile, for each probability.
struct Coverage {
    std::array<std::uint64_t, probabilities.size()> covered{};
    std::uint64_t campaigns = 0;

    template <typename Quantile>
    void add(const std::vector<QuantileInterval>& intervals, Quantile quantile) {
        ++campaigns;
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            const double truth = quantile(probabilities[i]);
            if (intervals[i].lo <= truth && (!intervals[i].hi || truth <= *intervals[i].hi))
                ++covered[i];
        }
    }

    /// From 10,000 campaigns on the limits are `lo` and `hi`; for fewer three standard errors are
    /// added.
    void expect_between(double lo, double hi, const std::string& name) const {
        ASSERT_GT(campaigns, 0U);
        const auto n = static_cast<double>(campaigns);
        const double slack = campaigns >= 9000 ? 0 : 3 * std::sqrt(0.95 * 0.05 / n);
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            const double share = static_cast<double>(covered[i]) / n;
            std::printf("%s, p %g: %.4f of %.0f campaigns\n", name.c_str(), probabilities[i], share,
                        n);
            EXPECT_GE(share, lo - slack) << name << " at " << probabilities[i];
            EXPECT_LE(share, hi + slack) << name << " at " << probabilities[i];
        }
    }
};

double exponential_run(double uniform) {
    return -100 * std::log(uniform);
}
double exponential_quantile(double p) {
    return -100 * std::log(p);
}
double gumbel_run(double uniform) {
    return 1000 - 25 * std::log(-std::log(uniform));
}
double gumbel_quantile(double p) {
    return 1000 - 25 * std::log(-std::log1p(-p));
}

const Estimator<Exponential> exponential_estimator = [](std::span<const double> values) {
    const auto fit = fit_exponential(values);
    return fit ? std::optional{fit->distribution} : std::nullopt;
};
const Estimator<Gumbel> gumbel_estimator = [](std::span<const double> values) {
    const auto fit = fit_gumbel(values);
    return fit ? std::optional{fit->distribution} : std::nullopt;
};

std::vector<QuantileInterval> exponential_intervals(const Excesses& excesses, std::uint64_t seed) {
    const auto fit = fit_exponential(excesses.values).value();
    return pivot_intervals(
        ThresholdFit<Exponential>{fit.distribution, excesses.threshold, excesses.share()},
        excesses.values.size(), runs, probabilities, exponential_estimator, {{}, seed, replicates});
}

TEST(Coverage, OfExponentialRunsOverAThresholdIsAsStated) {
    Coverage coverage;
    const std::uint64_t campaigns = number_from("WARPBOUND_PROPERTY_CASES", 100);
    for (std::uint64_t i = 0; i < campaigns; ++i) {
        auto sorted = drawn(i, "exponential", exponential_run);
        std::sort(sorted.begin(), sorted.end());
        coverage.add(exponential_intervals(largest_excesses(sorted, 100).value(), i),
                     exponential_quantile);
    }
    coverage.expect_between(0.93, 0.97, "exponential runs, 100 excesses");
}

TEST(Coverage, OfExponentialRunsByResidualVariationIsAsStated) {
    Coverage coverage;
    const std::uint64_t campaigns = number_from("WARPBOUND_PROPERTY_CASES", 100);
    for (std::uint64_t i = 0; i < campaigns; ++i) {
        auto sorted = drawn(i, "exponential", exponential_run);
        std::sort(sorted.begin(), sorted.end());
        const auto choice = choose_by_variation(variation_plot(sorted));
        if (choice.heavy || !choice.chosen) continue; // Refused, rightly or not.
        const auto excesses = largest_excesses(sorted, choice.chosen->count).value();
        const ThresholdFit<Exponential> fit{fit_exponential(excesses.values).value().distribution,
                                            excesses.threshold, excesses.share()};
        coverage.add(intervals_by_variation(fit, runs, probabilities, {{}, i, replicates}),
                     exponential_quantile);
    }
    std::printf("residual CV: %.4f of the campaigns are refused\n",
                1 - static_cast<double>(coverage.campaigns) / static_cast<double>(campaigns));
    coverage.expect_between(0.93, 0.97, "exponential runs, residual CV");
}

TEST(Coverage, OfGumbelRunsByBlocksIsAsStated) {
    Coverage coverage;
    const std::uint64_t campaigns = number_from("WARPBOUND_PROPERTY_CASES", 100);
    for (std::uint64_t i = 0; i < campaigns; ++i) {
        const auto maxima = block_maxima(drawn(i, "gumbel", gumbel_run), 25);
        const BlockMaximaFit<Gumbel> fit{fit_gumbel(maxima).value().distribution, 25};
        coverage.add(pivot_intervals(fit, maxima.size(), probabilities, gumbel_estimator,
                                     {{}, i, replicates}),
                     gumbel_quantile);
    }
    coverage.expect_between(0.93, 0.97, "Gumbel runs, blocks of 25");
}

/// With a fitted shape; a tenth of the campaigns, since each profile is searched. A shape is
/// estimated from 100 runs, so the limits are wider.
TEST(Coverage, OfParetoRunsByTheProfileLikelihoodIsAsStated) {
    Coverage coverage;
    const GeneralizedPareto source{100, -0.2};
    const std::uint64_t campaigns = number_from("WARPBOUND_PROPERTY_CASES", 200) / 10;
    for (std::uint64_t i = 0; i < campaigns; ++i) {
        auto sorted = drawn(i, "pareto",
                            [&](double uniform) { return excess_at(source, -std::log(uniform)); });
        std::sort(sorted.begin(), sorted.end());
        const auto excesses = largest_excesses(sorted, 200).value();
        const auto fit = fit_pareto(excesses.values).value();
        const ThresholdFit<GeneralizedPareto> tail{fit.distribution, excesses.threshold,
                                                   excesses.share()};
        std::vector<QuantileInterval> intervals;
        for (const double p : probabilities)
            intervals.push_back(profile_interval(tail, excesses.values, runs, p));
        coverage.add(intervals, [&](double p) { return excess_at(source, -std::log(p)); });
    }
    coverage.expect_between(0.90, 0.99, "GPD runs of shape -0.2, 200 excesses");
}

// --- Ties: times rounded to 4, 16 and 64 cycles, with a tail of scale 100 ---

constexpr std::array steps{4.0, 16.0, 64.0};

std::vector<double> rounded(std::vector<double> values, double step) {
    for (double& value : values)
        value = step * std::round(value / step);
    return values;
}

/// A time above 110 on the lattice 100, 110, .. was above 115 before rounding.
TEST(Ties, PutThresholdsAtHalfSteps) {
    const Lattice lattice{10, 100};
    for (const double threshold : {110.0, 112.0, 119.0})
        EXPECT_EQ(lattice.half_step_above(threshold), 115);
    EXPECT_EQ(lattice.nearest(114.9), 110);
    EXPECT_EQ(Lattice{}.half_step_above(112), 112);
    // Times with decimals: 0.3 is 3 steps of 0.1, although 3 * 0.1 is not 0.3.
    EXPECT_NEAR((Lattice{0.1, 0}.half_step_above(0.3)), 0.35, 1e-12);
    const std::vector<double> sorted{100, 110, 120, 120, 130};
    const auto excesses = over_half_step(largest_excesses(sorted, 3).value(), lattice);
    EXPECT_EQ(excesses.threshold, 115);
    EXPECT_EQ(excesses.values, (std::vector<double>{5, 5, 15}));
}

/// Of {5, 5, 15} with step 10: the mean is 25/3, (mean + 5) / (mean - 5) = 4; the variance is
/// 200/9, mean^2 - 25 = 400/9.
TEST(Ties, HaveTheGroupedFitAndVariation) {
    const std::vector<double> excesses{5, 5, 15};
    EXPECT_NEAR(fit_exponential_on_lattice(excesses, 10).value().scale, 10 / std::log(4.0), 1e-12);
    EXPECT_NEAR(residual_variation(excesses, 10), std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(fit_exponential_on_lattice(excesses, 0).value().scale, 25.0 / 3, 1e-12);
    const std::vector<double> one_step{5, 5, 5};
    EXPECT_FALSE(fit_exponential_on_lattice(one_step, 10));
}

/// The probabilities of the steps of a GPD give its parameters back, middles of the steps do not.
TEST(Ties, HaveTheGroupedFitOfAPareto) {
    const GeneralizedPareto source{100, -0.2};
    constexpr double step = 64;
    constexpr int many = 100'000;
    std::vector<double> excesses;
    for (int i = 0; i < many; ++i)
        excesses.push_back(models::drawn(source, (i + 0.5) / many, Lattice{step, 0}));
    std::sort(excesses.begin(), excesses.end());
    const auto grouped = fit_pareto_on_lattice(excesses, step).value().distribution;
    EXPECT_NEAR(grouped.shape, -0.2, 0.002);
    EXPECT_NEAR(grouped.scale, 100, 0.2);
    EXPECT_LT(fit_pareto(excesses).value().distribution.shape, -0.21);
}

/// The statistics of fine steps are those of continuous values.
TEST(Ties, OfFineStepsHaveTheContinuousStatistics) {
    std::vector<double> maxima = rounded(drawn(0, "gumbel", gumbel_run), 0.25);
    std::sort(maxima.begin(), maxima.end());
    const auto fit = fit_gumbel(maxima).value().distribution;
    const auto of = [&](double step) {
        return goodness_of_fit(fit, std::span<const double>{maxima}, gumbel_estimator,
                               {{step, 0}, 1, 1});
    };
    EXPECT_NEAR(of(0.25).a2.statistic, of(0).a2.statistic, 0.01);
    EXPECT_NEAR(of(0.25).w2.statistic, of(0).w2.statistic, 0.002);
}

/// Share of the campaigns whose true model a test of the fit rejects at 5 %.
struct Rejections {
    std::uint64_t a2 = 0;
    std::uint64_t w2 = 0;
    std::uint64_t campaigns = 0;

    void add(const GoodnessOfFit& fit) {
        ++campaigns;
        a2 += fit.a2.p_value <= 0.05 ? 1 : 0;
        w2 += fit.w2.p_value <= 0.05 ? 1 : 0;
    }
    /// About 5 %, with three standard errors for few campaigns.
    void expect_level(double least, const std::string& name) const {
        const auto n = static_cast<double>(campaigns);
        const double slack = 3 * std::sqrt(0.05 * 0.95 / n);
        for (const std::uint64_t rejected : {a2, w2}) {
            const double share = static_cast<double>(rejected) / n;
            std::printf("%s: %.4f of %.0f true models rejected\n", name.c_str(), share, n);
            EXPECT_LE(share, 0.05 + slack) << name;
            EXPECT_GE(share, least - slack) << name;
        }
    }
};

std::string with_step(const std::string& name, double step) {
    return name + " rounded to " + std::to_string(static_cast<int>(step));
}

/// The largest number of excesses up to 100 that no tie splits.
Excesses untied_excesses(std::span<const double> sorted) {
    for (std::size_t count = 100; count > 0; --count)
        if (auto excesses = largest_excesses(sorted, count)) return *excesses;
    return {};
}

TEST(Ties, OfRoundedExponentialRunsKeepLevelAndCoverage) {
    const std::uint64_t campaigns = number_from("WARPBOUND_PROPERTY_CASES", 100);
    for (const double step : steps) {
        Coverage coverage;
        Rejections rejections;
        const Estimator<Exponential> estimator = [step](std::span<const double> values) {
            return fit_exponential_on_lattice(values, step);
        };
        for (std::uint64_t i = 0; i < campaigns; ++i) {
            auto sorted = rounded(drawn(i, "exponential", exponential_run), step);
            std::sort(sorted.begin(), sorted.end());
            const auto excesses = over_half_step(untied_excesses(sorted), {step, 0});
            const auto fit = estimator(excesses.values).value();
            rejections.add(goodness_of_fit(fit, std::span<const double>{excesses.values}, estimator,
                                           {{step, 0}, i, 199}));
            coverage.add(pivot_intervals(
                             ThresholdFit<Exponential>{fit, excesses.threshold, excesses.share()},
                             excesses.values.size(), runs, probabilities, estimator,
                             {{step, 0}, i, replicates}),
                         exponential_quantile);
        }
        const std::string name = with_step("exponential runs", step);
        rejections.expect_level(0.02, name);
        coverage.expect_between(0.93, 0.97, name);
    }
}

TEST(Ties, OfRoundedExponentialRunsKeepTheCoverageOfResidualVariation) {
    const std::uint64_t campaigns = number_from("WARPBOUND_PROPERTY_CASES", 100);
    for (const double step : steps) {
        Coverage coverage;
        for (std::uint64_t i = 0; i < campaigns; ++i) {
            auto sorted = rounded(drawn(i, "exponential", exponential_run), step);
            std::sort(sorted.begin(), sorted.end());
            const auto choice = choose_by_variation(variation_plot(sorted, {step, 0}));
            if (choice.heavy || !choice.chosen) continue;
            const auto excesses =
                over_half_step(largest_excesses(sorted, choice.chosen->count).value(), {step, 0});
            const auto fit = fit_exponential_on_lattice(excesses.values, step).value();
            coverage.add(intervals_by_variation({fit, excesses.threshold, excesses.share()}, runs,
                                                probabilities, {{step, 0}, i, replicates}),
                         exponential_quantile);
        }
        EXPECT_GE(coverage.campaigns, campaigns * 9 / 10);
        coverage.expect_between(0.93, 0.97, with_step("exponential runs, residual CV", step));
    }
}

TEST(Ties, OfRoundedGumbelRunsKeepLevelAndCoverage) {
    const std::uint64_t campaigns = number_from("WARPBOUND_PROPERTY_CASES", 100);
    for (const double step : steps) {
        Coverage coverage;
        Rejections rejections;
        for (std::uint64_t i = 0; i < campaigns; ++i) {
            const auto run = [](double uniform) {
                return 1000 - 100 * std::log(-std::log(uniform));
            };
            auto maxima = block_maxima(rounded(drawn(i, "gumbel", run), step), 25);
            std::sort(maxima.begin(), maxima.end());
            const auto fit = fit_gumbel(maxima).value().distribution;
            rejections.add(goodness_of_fit(fit, std::span<const double>{maxima}, gumbel_estimator,
                                           {{step, 0}, i, 199}));
            coverage.add(pivot_intervals(BlockMaximaFit<Gumbel>{fit, 25}, maxima.size(),
                                         probabilities, gumbel_estimator,
                                         {{step, 0}, i, replicates}),
                         [](double p) { return 1000 - 100 * std::log(-std::log1p(-p)); });
        }
        const std::string name = with_step("Gumbel runs", step);
        rejections.expect_level(0.02, name);
        coverage.expect_between(0.93, 0.97, name);
    }
}

} // namespace
} // namespace warpbound::models
