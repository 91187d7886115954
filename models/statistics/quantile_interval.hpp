#pragma once
/// \file
/// 95 % confidence intervals of the time that a run exceeds with probability p.

#include "models/statistics/goodness_of_fit.hpp"
#include "models/statistics/per_run.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpbound::models {

/// Estimate, not a bound. `Unit:` that of the sample.
struct QuantileInterval {
    double lo = 0;
    std::optional<double> hi; ///< None: the sample does not limit it.

    friend bool operator==(const QuantileInterval&, const QuantileInterval&) = default;
};

/// Intervals by the parametric bootstrap of the pivot (estimate - quantile) / scale, in the order
/// of `probabilities`. Exact for Gumbel, whose pivot has one distribution for all parameters
/// (Lawless 1978); with a shape approximate. Each replicate is fitted by `estimator`.
template <MaximaDistribution Distribution>
std::vector<QuantileInterval>
pivot_intervals(const BlockMaximaFit<Distribution>& fit, std::size_t blocks,
                std::span<const double> probabilities, const Estimator<Distribution>& estimator,
                const BootstrapPlan& plan);

/// Likewise for excesses over the (k + 1)-th largest of n runs, whose exceedance probability has
/// the distribution Beta(k + 1, n - k); exact for an exponential tail.
template <ExcessDistribution Distribution>
std::vector<QuantileInterval>
pivot_intervals(const ThresholdFit<Distribution>& fit, std::size_t excesses, std::size_t runs,
                std::span<const double> probabilities, const Estimator<Distribution>& estimator,
                const BootstrapPlan& plan);

/// Likewise where MBPTA-CV chose the number of excesses (`choose_by_variation`): each replicate is
/// the upper half of a sample with an exponential tail, and chooses again. Without that the choice
/// of a CV next to 1 makes intervals too short: 89 % of them held the quantile in 1429 campaigns.
std::vector<QuantileInterval> intervals_by_variation(const ThresholdFit<Exponential>& fit,
                                                     std::size_t runs,
                                                     std::span<const double> probabilities,
                                                     const BootstrapPlan& plan);

/// Interval by the profile likelihood: the times whose best fit is within 1.92 of the best log
/// likelihood. `Source:` Coles 2001, section 2.6.6. `fit` is the maximum-likelihood fit of
/// `maxima`.
QuantileInterval profile_interval(const BlockMaximaFit<GeneralizedExtremeValue>& fit,
                                  std::span<const double> maxima, double p);
/// Likewise; the share of runs above the threshold varies with its binomial likelihood. `step`: of
/// the lattice of the times, as of `fit_pareto_on_lattice`.
QuantileInterval profile_interval(const ThresholdFit<GeneralizedPareto>& fit,
                                  std::span<const double> excesses, std::size_t runs, double p,
                                  double step = 0);

} // namespace warpbound::models
