#pragma once
/// \file
/// Goodness of fit with fitted parameters: Anderson-Darling and Cramer-von Mises, with p-values by
/// the parametric bootstrap. Replicates lie on the lattice of the sample, so ties are covered:
/// maxima are rounded to it, excesses to the middle of a step (`over_half_step`). The statistics
/// are then those of its steps, up to 4096 of them.
///
/// `Source:` Anderson and Darling 1954; Choulakian, Lockhart and Stephens 1994 for
/// steps; Stephens 1977, whose tables the p-values reproduce; Stute,
/// Gonzales Manteiga and Presedo Quindimil 1993 for the bootstrap.

#include "models/statistics/extremes.hpp"
#include "models/statistics/per_run.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

namespace warpbound::models {

/// A2 of the cumulative probabilities of a sample. Requires: increasing, in [0, 1].
double anderson_darling(std::span<const double> probabilities);
/// W2, likewise.
double cramer_von_mises(std::span<const double> probabilities);

struct FitTest {
    double statistic = 0;
    double p_value = 1; ///< (1 + replicates at least as large) / (replicates + 1).
};

struct GoodnessOfFit {
    FitTest a2;
    FitTest w2;
    std::size_t replicates = 0;
};

/// How a distribution is fitted to a sample; none where it cannot be.
template <typename Distribution>
using Estimator = std::function<std::optional<Distribution>(std::span<const double>)>;

/// What the replicates share with the sample.
struct BootstrapPlan {
    Lattice lattice{}; ///< Of the times.
    std::uint64_t seed = 1;
    std::size_t replicates = 999;
};

/// A maximum of the distribution on the lattice of the times. `uniform`: in (0, 1).
template <MaximaDistribution Distribution>
double drawn(const Distribution& distribution, double uniform, const Lattice& lattice) {
    return lattice.nearest(value_at(distribution, -std::log(uniform)));
}
/// An excess over a half step, in the middle of its step.
template <ExcessDistribution Distribution>
double drawn(const Distribution& distribution, double uniform, const Lattice& lattice) {
    const double excess = excess_at(distribution, -std::log(uniform));
    return lattice.step <= 0 ? excess : lattice.step * (std::floor(excess / lattice.step) + 0.5);
}

/// Of `distribution`, which `estimator` fitted to `sorted`. Every replicate is drawn from it and
/// fitted again. Distribution: Gumbel, GEV (maxima), exponential, GPD (excesses).
template <typename Distribution>
GoodnessOfFit goodness_of_fit(const Distribution& distribution, std::span<const double> sorted,
                              const Estimator<Distribution>& estimator, const BootstrapPlan& plan);

} // namespace warpbound::models
