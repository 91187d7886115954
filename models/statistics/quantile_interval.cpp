#include "models/statistics/quantile_interval.hpp"

#include "models/statistics/maximum_likelihood.hpp"
#include "models/statistics/nelder_mead.hpp"
#include "models/statistics/resampling.hpp"
#include "models/statistics/residual_variation.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace warpbound::models {

namespace {

/// Half of the 95 % quantile of chi-squared with one degree of freedom.
constexpr double likelihood_drop = 1.920729410347062;
/// Of the likelihood along the profile, relatively: far below what moves an end of the interval.
constexpr double profile_tolerance = 1e-10;
constexpr double outside = 0.025; ///< Probability on each side.

/// A gamma variable with scale 1. `Source:` Marsaglia and Tsang 2000. Requires: shape at least 1.
double gamma_variable(double shape, Resampling& random) {
    const double d = shape - 1.0 / 3;
    const double c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double radius = std::sqrt(-2 * std::log(random.uniform()));
        const double normal = radius * std::cos(2 * std::numbers::pi * random.uniform());
        const double root = 1 + c * normal;
        if (root <= 0) continue;
        const double v = root * root * root;
        if (std::log(random.uniform()) < normal * normal / 2 + d * (1 - v + std::log(v)))
            return d * v;
    }
}

double beta_variable(double a, double b, Resampling& random) {
    const double first = gamma_variable(a, random);
    return first / (first + gamma_variable(b, random));
}

/// `Shape:` pivots[probability][replicate].
using Pivots = std::vector<std::vector<double>>;

std::vector<QuantileInterval> intervals_of(Pivots pivots, std::span<const double> estimates,
                                           double scale) {
    std::vector<QuantileInterval> intervals;
    for (std::size_t i = 0; i < pivots.size(); ++i) {
        auto& values = pivots[i];
        std::sort(values.begin(), values.end());
        if (values.empty()) {
            intervals.push_back({-HUGE_VAL, std::nullopt});
            continue;
        }
        const auto at = [&](double probability) {
            const double rank = probability * static_cast<double>(values.size() + 1) - 1;
            const double last = static_cast<double>(values.size() - 1);
            return values[static_cast<std::size_t>(std::clamp(std::round(rank), 0.0, last))];
        };
        intervals.push_back(
            {estimates[i] - scale * at(1 - outside), estimates[i] - scale * at(outside)});
    }
    return intervals;
}

/// Where `drop`, 0 at `from`, reaches `likelihood_drop` in the direction of `step`; none before
/// `end`.
template <typename Drop>
std::optional<double> crossing(const Drop& drop, double from, double step, double end) {
    double inside = from;
    for (;;) {
        double beyond = inside + step;
        const bool last = step > 0 ? beyond >= end : beyond <= end;
        if (last) beyond = end;
        if (drop(beyond) >= likelihood_drop) {
            for (int i = 0; i < 24; ++i) {
                const double middle = (inside + beyond) / 2;
                (drop(middle) >= likelihood_drop ? beyond : inside) = middle;
            }
            return beyond;
        }
        if (last) return std::nullopt;
        inside = beyond;
        step *= 1.6;
    }
}

/// The interval from a profile: `best_at(x, start)` is the least negative log likelihood of the
/// fits whose quantile is x, searched from `start`, which it moves to the minimum.
template <std::size_t Variables, typename BestAt>
QuantileInterval interval_by_profile(const BestAt& best_at, const Variable<Variables>& start,
                                     double estimate, double scale, double lowest) {
    Variable<Variables> at = start;
    const double least = best_at(estimate, at);
    // Searching on from the neighbour's minimum keeps to one branch of the profile.
    const auto drop_from = [&](Variable<Variables>& near) {
        return [&](double x) {
            Variable<Variables> local = near;
            const double value = best_at(x, local);
            if (std::isfinite(value)) near = local;
            return std::isfinite(value) ? value - least : HUGE_VAL;
        };
    };
    Variable<Variables> below = at;
    Variable<Variables> above = at;
    const double step = std::max(scale, (estimate - lowest) / 50) / 4;
    const auto lo = crossing(drop_from(below), estimate, -step, lowest);
    const auto hi = crossing(drop_from(above), estimate, step, estimate + 1e5 * scale);
    return {lo.value_or(lowest), hi};
}

} // namespace

template <MaximaDistribution Distribution>
std::vector<QuantileInterval>
pivot_intervals(const BlockMaximaFit<Distribution>& fit, std::size_t blocks,
                std::span<const double> probabilities, const Estimator<Distribution>& estimator,
                const BootstrapPlan& plan) {
    std::vector<double> estimates;
    for (const double p : probabilities)
        estimates.push_back(quantile_per_run(fit, p).value());
    Pivots pivots(probabilities.size());
    std::vector<double> replicate(blocks);
    for (std::size_t number = 0; number < plan.replicates; ++number) {
        Resampling random{plan.seed, "interval", number};
        for (double& value : replicate)
            value = drawn(fit.maxima, random.uniform(), plan.lattice);
        const auto refitted = estimator(replicate);
        if (!refitted) continue;
        const BlockMaximaFit<Distribution> again{*refitted, fit.block};
        for (std::size_t i = 0; i < probabilities.size(); ++i)
            pivots[i].push_back((quantile_per_run(again, probabilities[i]).value() - estimates[i]) /
                                refitted->scale);
    }
    return intervals_of(std::move(pivots), estimates, fit.maxima.scale);
}

template <ExcessDistribution Distribution>
std::vector<QuantileInterval>
pivot_intervals(const ThresholdFit<Distribution>& fit, std::size_t excesses, std::size_t runs,
                std::span<const double> probabilities, const Estimator<Distribution>& estimator,
                const BootstrapPlan& plan) {
    std::vector<double> estimates;
    for (const double p : probabilities)
        estimates.push_back(quantile_per_run(fit, p).value());
    Pivots pivots(probabilities.size());
    std::vector<double> replicate(excesses);
    const auto k = static_cast<double>(excesses);
    const auto n = static_cast<double>(runs);
    for (std::size_t number = 0; number < plan.replicates; ++number) {
        Resampling random{plan.seed, "interval", number};
        for (double& value : replicate)
            value = drawn(fit.excess, random.uniform(), plan.lattice);
        const auto refitted = estimator(replicate);
        if (!refitted) continue;
        const double share = beta_variable(k + 1, n - k, random);
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            const double estimate = excess_at(*refitted, std::log(fit.share / probabilities[i]));
            const double quantile = excess_at(fit.excess, std::log(share / probabilities[i]));
            pivots[i].push_back((estimate - quantile) / refitted->scale);
        }
    }
    return intervals_of(std::move(pivots), estimates, fit.excess.scale);
}

std::vector<QuantileInterval> intervals_by_variation(const ThresholdFit<Exponential>& fit,
                                                     std::size_t runs,
                                                     std::span<const double> probabilities,
                                                     const BootstrapPlan& plan) {
    const std::size_t half = runs / 2;
    std::vector<double> estimates;
    for (const double p : probabilities)
        estimates.push_back(quantile_per_run(fit, p).value());
    Pivots pivots(probabilities.size());
    const auto n = static_cast<double>(runs);
    // The largest of the lower half, and a tail above it with scale 1.
    const Lattice lattice{plan.lattice.step / fit.excess.scale, 0};
    std::vector<double> upper(half + 1);
    for (std::size_t number = 0; number < plan.replicates; ++number) {
        Resampling random{plan.seed, "interval", number};
        upper[0] = 0;
        for (std::size_t i = 1; i <= half; ++i)
            upper[i] = lattice.nearest(-std::log(random.uniform()));
        std::sort(upper.begin() + 1, upper.end());
        const auto choice = choose_by_variation(variation_plot(upper, lattice, half));
        if (choice.heavy || !choice.chosen) continue; // Such a sample has no interval.
        const std::size_t count = choice.chosen->count;
        const auto excesses = over_half_step(largest_excesses(upper, count).value(), lattice);
        const auto fitted = fit_exponential_on_lattice(excesses.values, lattice.step);
        if (!fitted) continue;
        const auto k = static_cast<double>(half);
        const double share = beta_variable(k + 1, n - k, random);
        for (std::size_t i = 0; i < probabilities.size(); ++i) {
            const double estimate =
                excesses.threshold +
                fitted->scale * std::log(static_cast<double>(count) / n / probabilities[i]);
            pivots[i].push_back((estimate - std::log(share / probabilities[i])) / fitted->scale);
        }
    }
    return intervals_of(std::move(pivots), estimates, fit.excess.scale);
}

template std::vector<QuantileInterval> pivot_intervals(const BlockMaximaFit<Gumbel>&, std::size_t,
                                                       std::span<const double>,
                                                       const Estimator<Gumbel>&,
                                                       const BootstrapPlan&);
template std::vector<QuantileInterval>
pivot_intervals(const BlockMaximaFit<GeneralizedExtremeValue>&, std::size_t,
                std::span<const double>, const Estimator<GeneralizedExtremeValue>&,
                const BootstrapPlan&);
template std::vector<QuantileInterval>
pivot_intervals(const ThresholdFit<Exponential>&, std::size_t, std::size_t, std::span<const double>,
                const Estimator<Exponential>&, const BootstrapPlan&);
template std::vector<QuantileInterval>
pivot_intervals(const ThresholdFit<GeneralizedPareto>&, std::size_t, std::size_t,
                std::span<const double>, const Estimator<GeneralizedPareto>&, const BootstrapPlan&);

QuantileInterval profile_interval(const BlockMaximaFit<GeneralizedExtremeValue>& fit,
                                  std::span<const double> maxima, double p) {
    const double t = -std::log(-static_cast<double>(fit.block) * std::log1p(-p));
    // Variables: ln(scale / fitted scale), shape. The location follows from x.
    const auto best_at = [&](double x, Variable<2>& near) {
        const auto nll = [&](const Variable<2>& at) {
            const double scale = fit.maxima.scale * std::exp(at[0]);
            if (at[1] < -0.999 || at[1] > 5) return HUGE_VAL;
            return negative_log_likelihood(
                GeneralizedExtremeValue{x - scale * box_cox(t, at[1]), scale, at[1]}, maxima);
        };
        const auto best = minimise<2>(nll, near, 0.05, profile_tolerance);
        near = best.at;
        return best.value;
    };
    const double estimate = quantile_per_run(fit, p).value();
    return interval_by_profile<2>(best_at, {0, fit.maxima.shape}, estimate, fit.maxima.scale,
                                  fit.maxima.location - 10 * fit.maxima.scale);
}

QuantileInterval profile_interval(const ThresholdFit<GeneralizedPareto>& fit,
                                  std::span<const double> excesses, std::size_t runs, double p,
                                  double step) {
    const auto k = static_cast<double>(excesses.size());
    const double below = static_cast<double>(runs) - k;
    // Variables: shape, ln(share / observed share). The scale follows from x.
    const auto best_at = [&](double x, Variable<2>& near) {
        const auto nll = [&](const Variable<2>& at) {
            const double share = fit.share * std::exp(at[1]);
            if (at[0] < -0.999 || at[0] > 5 || share >= 1 || share <= p) return HUGE_VAL;
            const double scale = (x - fit.threshold) / box_cox(std::log(share / p), at[0]);
            const GeneralizedPareto tail{scale, at[0]};
            return (step > 0 ? negative_log_likelihood_on_lattice(tail, excesses, step)
                             : negative_log_likelihood(tail, excesses)) -
                   k * std::log(share) - below * std::log1p(-share);
        };
        const auto best = minimise<2>(nll, near, 0.05, profile_tolerance);
        near = best.at;
        return best.value;
    };
    const double estimate = quantile_per_run(fit, p).value();
    return interval_by_profile<2>(best_at, {fit.excess.shape, 0}, estimate, fit.excess.scale,
                                  fit.threshold);
}

} // namespace warpbound::models
