#pragma once
/// \file
/// Fits of extremes, and what they say of one run: the step from a block or an excess to a run is
/// part of the type, so a quantile per block cannot be taken for one per run.

#include "models/estimate.hpp"
#include "models/statistics/extreme_value.hpp"

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

namespace warpbound::models {

/// Quantity of an estimate: the time of one run. `Unit:` that of the sample.
struct RunTime {};

template <typename Type>
concept MaximaDistribution =
    std::same_as<Type, Gumbel> || std::same_as<Type, GeneralizedExtremeValue>;
template <typename Type>
concept ExcessDistribution =
    std::same_as<Type, Exponential> || std::same_as<Type, GeneralizedPareto>;

/// Distribution of the largest times of blocks of runs.
template <MaximaDistribution Distribution> struct BlockMaximaFit {
    Distribution maxima;
    std::int64_t block = 1; ///< Runs of a block, at least 1.
};

/// Distribution of the excesses over a threshold.
template <ExcessDistribution Distribution> struct ThresholdFit {
    Distribution excess;
    double threshold = 0;
    double share = 1; ///< Of the runs above the threshold (zeta = k / n), in (0, 1].
};

/// Time that one run exceeds with probability `p`. Estimate, not a bound.
/// `Source:` block of m runs: y = -m ln(1 - p), Coles 2001, eq. 3.4 at the block's probability
/// 1 - (1 - p)^m. Requires: 0 < p < 1.
template <MaximaDistribution Distribution>
Estimate<RunTime> quantile_per_run(const BlockMaximaFit<Distribution>& fit, double p) {
    return Estimate<RunTime>{
        value_at(fit.maxima, -static_cast<double>(fit.block) * std::log1p(-p))};
}

/// `Source:` Coles 2001, eq. 4.12. Requires: 0 < p < share.
template <ExcessDistribution Distribution>
Estimate<RunTime> quantile_per_run(const ThresholdFit<Distribution>& fit, double p) {
    return Estimate<RunTime>{fit.threshold + excess_at(fit.excess, std::log(fit.share / p))};
}

/// Probability that one run exceeds `x`: 1 - G(x)^(1/m).
template <MaximaDistribution Distribution>
double exceedance_per_run(const BlockMaximaFit<Distribution>& fit, double x) {
    const double above = exceedance(fit.maxima, x);
    return -std::expm1(std::log1p(-above) / static_cast<double>(fit.block));
}

/// Probability that one run exceeds `x`; below the threshold only that it is at least the share.
template <ExcessDistribution Distribution>
double exceedance_per_run(const ThresholdFit<Distribution>& fit, double x) {
    return x < fit.threshold ? 1 : fit.share * exceedance(fit.excess, x - fit.threshold);
}

/// Any fit of the tail.
using TailFit = std::variant<ThresholdFit<Exponential>, ThresholdFit<GeneralizedPareto>,
                             BlockMaximaFit<Gumbel>, BlockMaximaFit<GeneralizedExtremeValue>>;
Estimate<RunTime> quantile_per_run(const TailFit& fit, double p);
double exceedance_per_run(const TailFit& fit, double x);
/// xi; 0 for Gumbel and exponential.
double shape_of(const TailFit& fit);
/// sigma; of the exponential the mean excess.
double scale_of(const TailFit& fit);

/// Probability that a run exceeds `x`, whichever of the inputs it has: the largest one. 0 without
/// fits.
double envelope_exceedance(std::span<const TailFit> inputs, double x);
/// The time that a run of no input exceeds with a probability above `p`: the largest one.
/// Requires: at least one fit.
Estimate<RunTime> envelope_quantile(std::span<const TailFit> inputs, double p);

} // namespace warpbound::models
