#pragma once
/// \file
/// Goodness of fit with fitted parameters: Anderson-Darling and Cramer-von Mises, with p-values by
/// the parametric bootstrap. Replicates lie on the lattice of the sample, so ties are covered.
///
/// `Source:` Anderson and Darling 1954; Stephens 1977, whose tables the p-values reproduce; Stute,
/// Gonzales Manteiga and Presedo Quindimil 1993 for the bootstrap.

#include "models/statistics/extreme_value.hpp"

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
    double lattice = 0; ///< Step that the values are multiples of; 0: continuous.
    std::uint64_t seed = 1;
    std::size_t replicates = 999;
};

/// Of `distribution`, which `estimator` fitted to `sorted`. Every replicate is drawn from it and
/// fitted again. Distribution: Gumbel, GEV (maxima), exponential, GPD (excesses).
template <typename Distribution>
GoodnessOfFit goodness_of_fit(const Distribution& distribution, std::span<const double> sorted,
                              const Estimator<Distribution>& estimator, const BootstrapPlan& plan);

} // namespace warpbound::models
