#include "certification/pwcet/tail_choice.hpp"

#include "certification/pwcet/applicability.hpp"
#include "models/statistics/extremes.hpp"
#include "models/statistics/goodness_of_fit.hpp"
#include "models/statistics/l_moments.hpp"
#include "models/statistics/maximum_likelihood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace warpbound::certification {

namespace {

using namespace models;

constexpr std::size_t interval_replicates = 1999;
constexpr std::size_t fit_replicates = 999;
/// Drawn values of a bootstrap; a larger sample has fewer replicates, at least 99.
constexpr std::size_t most_drawn = 20'000'000;

std::size_t replicates_for(std::size_t wanted, std::size_t drawn) {
    return std::clamp(most_drawn / std::max<std::size_t>(drawn, 1), std::size_t{99}, wanted);
}

std::string heavy_text(double variation, std::size_t count) {
    return fmt::format("heavy tail: the residual CV of the {} largest excesses is {:.3f}, above "
                       "{:.3f}; take more runs, or look for a second mode",
                       count, variation, 1 + variation_band(count));
}

/// The number of excesses next to `wanted` that no tie splits; at least the fewest allowed.
std::optional<Excesses> untied(std::span<const double> sorted, std::size_t wanted) {
    for (std::size_t count = wanted; count >= static_cast<std::size_t>(fewest_excesses); --count)
        if (auto excesses = largest_excesses(sorted, count)) return excesses;
    for (std::size_t count = wanted; count <= sorted.size() / 2; ++count)
        if (auto excesses = largest_excesses(sorted, count)) return excesses;
    return std::nullopt;
}

std::optional<Excesses> excesses_by_variation(SeriesPwcet& series, std::span<const double> sorted) {
    const VariationChoice choice = choose_by_variation(series.variation);
    if (choice.heavy)
        series.reasons.push_back(heavy_text(choice.heavy->variation, choice.heavy->count));
    if (!choice.chosen && !choice.heavy) {
        const auto first =
            std::find_if(series.variation.begin(), series.variation.end(), [](const auto& point) {
                return point.count >= static_cast<std::size_t>(fewest_excesses);
            });
        series.reasons.push_back(
            first == series.variation.end()
                ? fmt::format("no number of excesses from {} to half the runs without ties; needs "
                              "at least {} runs",
                              fewest_excesses, 2 * fewest_excesses)
                : heavy_text(first->variation, first->count));
    }
    if (!series.reasons.empty()) return std::nullopt;
    return largest_excesses(sorted, choice.chosen->count);
}

std::optional<Excesses> excesses_by_threshold(SeriesPwcet& series, const PwcetRequest& request,
                                              std::span<const double> sorted) {
    if (request.threshold) return excesses_over(sorted, *request.threshold);
    const auto fewest = static_cast<std::size_t>(fewest_excesses);
    const std::size_t wanted = request.exceedances
                                   ? static_cast<std::size_t>(*request.exceedances)
                                   : std::clamp(sorted.size() / 10, fewest, std::size_t{1000});
    if (request.exceedances && wanted > sorted.size() / 2) {
        series.reasons.push_back(
            fmt::format("--exceedances {}: more than half of {} runs", wanted, sorted.size()));
        return std::nullopt;
    }
    auto excesses = untied(sorted, wanted);
    if (!excesses)
        series.reasons.push_back(
            fmt::format("no number of excesses from {} to half the runs without ties; needs at "
                        "least {} runs",
                        fewest, 2 * fewest));
    return excesses;
}

template <typename Distribution, typename Fit> Estimator<Distribution> by_likelihood(Fit fit) {
    return [fit](std::span<const double> values) -> std::optional<Distribution> {
        const auto fitted = fit(values);
        if (!fitted) return std::nullopt;
        return fitted->distribution;
    };
}

template <typename Distribution, typename Fit> Estimator<Distribution> by_moments(Fit fit) {
    return [fit](std::span<const double> values) -> std::optional<Distribution> {
        if (values.size() < 3) return std::nullopt;
        std::vector<double> sorted{values.begin(), values.end()};
        std::sort(sorted.begin(), sorted.end());
        return fit(l_moments(sorted));
    };
}

void add_fit(SeriesPwcet& series, const PwcetRequest& request, std::string name, TailFit fit) {
    FittedTail tail{std::move(name), std::move(fit), {}};
    for (const double p : request.probabilities)
        tail.times.push_back(quantile_per_run(tail.fit, p));
    series.fits.push_back(std::move(tail));
}

void check_fit(SeriesPwcet& series, const GoodnessOfFit& fit) {
    const std::string note = fmt::format("{} replicates", fit.replicates);
    series.after = {{"anderson-darling",
                     harness::Decision{fit.a2.statistic, fit.a2.p_value, fit.a2.p_value}, note},
                    {"cramer-von-mises",
                     harness::Decision{fit.w2.statistic, fit.w2.p_value, fit.w2.p_value}, note}};
    judge(series, series.after, series.fits.front().name);
    if (series.reasons.empty()) return;
    series.reasons.push_back(fmt::format(
        "no other method is tried on the same runs: state one before the next campaign (--method, "
        "--shape{})",
        series.extremes.block > 0 ? ", --block-size" : ", --exceedances"));
}

void add_rows(SeriesPwcet& series, const PwcetRequest& request,
              const std::vector<QuantileInterval>& intervals) {
    for (std::size_t i = 0; i < intervals.size(); ++i)
        series.rows.push_back(
            {request.probabilities[i], series.fits.front().times[i], intervals[i]});
}

void check_shape(SeriesPwcet& series, double light_nll, double fitted_nll, double shape) {
    const double p = heavy_tail_p_value(light_nll, fitted_nll, shape);
    if (p < pwcet_level)
        series.reasons.push_back(fmt::format(
            "heavy tail: the fitted shape is {:.3f}, against shape 0 with p {:.3g} (likelihood "
            "ratio); a machine with bounded time has no such tail, usually it is a mixture",
            shape, p));
    else if (shape > 0)
        series.warnings.push_back(fmt::format(
            "the fitted shape is {:.3f}, above 0, but not significantly (p {:.3g})", shape, p));
}

/// Tests the reported distribution and extrapolates it. `rows`: how its intervals are made.
template <typename Distribution, typename Fit>
void report_fit(SeriesPwcet& series, const PwcetRequest& request, const Fit& fit,
                const Distribution& distribution, const Estimator<Distribution>& estimator,
                bool by_profile) {
    const auto& values = series.extremes.values;
    const Lattice lattice = lattice_of(series);
    check_fit(series, goodness_of_fit(
                          distribution, std::span<const double>{values}, estimator,
                          {lattice, series.seed, replicates_for(fit_replicates, values.size())}));
    if (!series.reasons.empty()) return;
    const BootstrapPlan plan{lattice, series.seed,
                             replicates_for(interval_replicates, values.size())};
    series.interval_method = by_profile ? "profile likelihood"
                                        : fmt::format("parametric bootstrap of the pivot, {} "
                                                      "replicates",
                                                      plan.replicates);
    std::vector<QuantileInterval> intervals;
    if constexpr (std::same_as<Distribution, Exponential>)
        if (request.method == ExtremesBy::ResidualVariation) {
            const std::size_t runs = series.times.ticks.size();
            const BootstrapPlan choosing{lattice, series.seed,
                                         replicates_for(interval_replicates, runs / 2)};
            series.interval_method =
                fmt::format("parametric bootstrap of the pivot and of the choice of the threshold, "
                            "{} replicates",
                            choosing.replicates);
            add_rows(series, request,
                     intervals_by_variation(fit, runs, request.probabilities, choosing));
            return;
        }
    constexpr bool has_profile = std::same_as<Distribution, GeneralizedExtremeValue> ||
                                 std::same_as<Distribution, GeneralizedPareto>;
    if constexpr (has_profile) {
        if (by_profile)
            for (const double p : request.probabilities) {
                if constexpr (MaximaDistribution<Distribution>)
                    intervals.push_back(profile_interval(fit, values, p));
                else
                    intervals.push_back(
                        profile_interval(fit, values, series.times.ticks.size(), p, lattice.step));
            }
    }
    if (!by_profile) {
        if constexpr (MaximaDistribution<Distribution>)
            intervals = pivot_intervals(fit, values.size(), request.probabilities, estimator, plan);
        else
            intervals = pivot_intervals(fit, values.size(), series.times.ticks.size(),
                                        request.probabilities, estimator, plan);
    }
    add_rows(series, request, intervals);
}

constexpr const char* irregular_text =
    "irregular: the fitted shape is at most -1/2, where maximum likelihood does not hold; the fit "
    "by L-moments is reported";

void fit_excesses(SeriesPwcet& series, const PwcetRequest& request) {
    const auto& values = series.extremes.values;
    const double share =
        static_cast<double>(values.size()) / static_cast<double>(series.times.ticks.size());
    const double threshold = series.extremes.threshold;
    for (const double p : request.probabilities)
        if (p >= share) {
            series.reasons.push_back(fmt::format(
                "--probability {:g}: at least the share of runs above the threshold, {:.4f}; there "
                "the runs themselves tell the time",
                p, share));
            return;
        }
    const double step = lattice_of(series).step;
    const auto light = fit_exponential_on_lattice(values, step);
    const auto pareto = fit_pareto_on_lattice(values, step);
    // The likelihood ratio takes the middles of the steps as continuous, on both sides.
    const auto light_middle = fit_exponential(values);
    const auto pareto_middle = fit_pareto(values);
    if (!light || !pareto || !light_middle || !pareto_middle) {
        series.reasons.emplace_back("the excesses cannot be fitted");
        return;
    }
    check_shape(series, light_middle->negative_log_likelihood,
                pareto_middle->negative_log_likelihood, pareto_middle->distribution.shape);
    const auto moments = l_moments(values);
    const auto by_l = pareto_by_l_moments(moments);
    const ThresholdFit<Exponential> exponential{*light, threshold, share};
    const ThresholdFit<GeneralizedPareto> likelihood{pareto->distribution, threshold, share};
    const bool fitted = request.shape == TailShape::Fitted;
    const bool irregular = fitted && pareto->irregular;
    if (irregular) series.warnings.emplace_back(irregular_text);
    const auto add_light = [&] {
        add_fit(series, request, "exponential, maximum likelihood", exponential);
    };
    const auto add_moments = [&] {
        if (by_l)
            add_fit(series, request, "GPD, L-moments",
                    ThresholdFit<GeneralizedPareto>{*by_l, threshold, share});
    };
    if (!fitted) add_light();
    if (irregular) add_moments();
    add_fit(series, request, "GPD, maximum likelihood", likelihood);
    if (!irregular) add_moments();
    if (fitted) add_light();
    if (!series.reasons.empty()) return;
    if (!fitted)
        report_fit(series, request, exponential, *light,
                   Estimator<Exponential>{[step](std::span<const double> drawn) {
                       return fit_exponential_on_lattice(drawn, step);
                   }},
                   false);
    else if (!irregular)
        report_fit(series, request, likelihood, pareto->distribution,
                   by_likelihood<GeneralizedPareto>([step](std::span<const double> drawn) {
                       return fit_pareto_on_lattice(drawn, step);
                   }),
                   true);
    else if (by_l)
        report_fit(series, request, ThresholdFit<GeneralizedPareto>{*by_l, threshold, share}, *by_l,
                   by_moments<GeneralizedPareto>(pareto_by_l_moments), false);
}

void fit_maxima(SeriesPwcet& series, const PwcetRequest& request) {
    const auto& values = series.extremes.values;
    const std::int64_t block = series.extremes.block;
    const auto light = fit_gumbel(values);
    const auto full = fit_extreme_value(values);
    const auto moments = l_moments(values);
    const auto gumbel_by_l = gumbel_by_l_moments(moments);
    const auto full_by_l = extreme_value_by_l_moments(moments);
    if (!light || !full || !gumbel_by_l || !full_by_l) {
        series.reasons.emplace_back("the block maxima cannot be fitted");
        return;
    }
    check_shape(series, light->negative_log_likelihood, full->negative_log_likelihood,
                full->distribution.shape);
    const BlockMaximaFit<Gumbel> gumbel{light->distribution, block};
    const BlockMaximaFit<GeneralizedExtremeValue> likelihood{full->distribution, block};
    const BlockMaximaFit<GeneralizedExtremeValue> moments_fit{*full_by_l, block};
    const bool fitted = request.shape == TailShape::Fitted;
    const bool irregular = fitted && full->irregular;
    if (irregular) series.warnings.emplace_back(irregular_text);
    const auto add_light = [&] {
        add_fit(series, request, "Gumbel, maximum likelihood", gumbel);
        add_fit(series, request, "Gumbel, L-moments", BlockMaximaFit<Gumbel>{*gumbel_by_l, block});
    };
    if (!fitted) add_light();
    if (irregular) add_fit(series, request, "GEV, L-moments", moments_fit);
    add_fit(series, request, "GEV, maximum likelihood", likelihood);
    if (!irregular) add_fit(series, request, "GEV, L-moments", moments_fit);
    if (fitted) add_light();
    if (!series.reasons.empty()) return;
    if (!fitted)
        report_fit(series, request, gumbel, light->distribution, by_likelihood<Gumbel>(fit_gumbel),
                   false);
    else if (!irregular)
        report_fit(series, request, likelihood, full->distribution,
                   by_likelihood<GeneralizedExtremeValue>(fit_extreme_value), true);
    else
        report_fit(series, request, moments_fit, *full_by_l,
                   by_moments<GeneralizedExtremeValue>(extreme_value_by_l_moments), false);
}

/// A second estimator of the reported distribution outside the interval of the first.
void compare_estimators(SeriesPwcet& series) {
    if (series.rows.empty() || series.fits.size() < 2) return;
    const auto& first = series.fits[0];
    const auto& second = series.fits[1];
    if (first.name.substr(0, first.name.find(',')) != second.name.substr(0, second.name.find(',')))
        return;
    for (std::size_t i = 0; i < series.rows.size(); ++i) {
        const auto& interval = series.rows[i].interval;
        const double other = second.times[i].value();
        if (other >= interval.lo && (!interval.hi || other <= *interval.hi)) continue;
        series.warnings.push_back(fmt::format(
            "at {:g} {} gives {:.{}f}, outside the interval of {}", series.rows[i].probability,
            second.name, other, series.times.decimals + 1, first.name));
    }
}

} // namespace

void choose_extremes(SeriesPwcet& series, const PwcetRequest& request,
                     std::span<const double> in_run_order, std::span<const double> sorted) {
    const auto runs = static_cast<std::int64_t>(sorted.size());
    Extremes& extremes = series.extremes;
    if (request.method == ExtremesBy::BlockMaxima) {
        extremes.block =
            request.block ? *request.block : std::clamp<std::int64_t>(runs / 40, 10, 50);
        if (runs / extremes.block < fewest_blocks) {
            series.reasons.push_back(fmt::format("{} blocks of {} runs; needs {}",
                                                 runs / extremes.block, extremes.block,
                                                 fewest_blocks));
            return;
        }
        extremes.values = block_maxima(in_run_order, static_cast<std::size_t>(extremes.block));
        std::sort(extremes.values.begin(), extremes.values.end());
    } else {
        const auto excesses = request.method == ExtremesBy::ResidualVariation
                                  ? excesses_by_variation(series, sorted)
                                  : excesses_by_threshold(series, request, sorted);
        if (!excesses) return;
        const auto over = over_half_step(*excesses, lattice_of(series));
        extremes.threshold = over.threshold;
        extremes.values = over.values;
        const std::size_t count = extremes.values.size();
        if (count < static_cast<std::size_t>(fewest_excesses)) {
            series.reasons.push_back(fmt::format("{} runs above {}; needs {}", count,
                                                 extremes.threshold, fewest_excesses));
            return;
        }
        if (2 * count > sorted.size()) {
            series.reasons.push_back(
                fmt::format("{} of {} runs are above {:g}; at most half may be", count,
                            sorted.size(), extremes.threshold));
            return;
        }
        extremes.variation = residual_variation(extremes.values, lattice_of(series).step);
        if (extremes.variation > 1 + variation_band(count))
            series.reasons.push_back(heavy_text(extremes.variation, count));
    }
    const std::set<double> distinct{extremes.values.begin(), extremes.values.end()};
    if (distinct.size() < fewest_distinct)
        series.reasons.push_back(
            fmt::format("{} distinct extremes; needs {}", distinct.size(), fewest_distinct));
}

void fit_tail(SeriesPwcet& series, const PwcetRequest& request) {
    if (series.extremes.block > 0)
        fit_maxima(series, request);
    else
        fit_excesses(series, request);
    if (series.reasons.empty()) compare_estimators(series);
}

} // namespace warpbound::certification
