#pragma once
/// \file
/// Residual coefficient of variation (CV): the standard deviation of the excesses over their mean,
/// which is 1 for an exponential tail.
///
/// `Source:` del Castillo, Daoudi and Lockhart 2014; Abella et al., TODAES 2017 (MBPTA-CV).

#include "models/statistics/extremes.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace warpbound::models {

/// CV of excesses with the standard deviation of the population (division by k), as the published
/// limit theory uses. Requires: at least one, all positive.
double residual_variation(std::span<const double> excesses);

/// CV of excesses in the middle of steps (`over_half_step`), 1 for an exponential tail there too:
/// their number of whole steps is geometric, with variance m (m + 1) at mean m, so the standard
/// deviation is that of sqrt(mean^2 - step^2 / 4). Requires: a mean above half a step.
double residual_variation(std::span<const double> excesses, double step);

/// The shape whose GPD has this CV: (1 - 1 / CV^2) / 2.
double shape_of_variation(double variation);

/// Half width of the band around 1 that holds the CV of `count` excesses of an exponential tail
/// with probability 95 %: 1.96 / sqrt(count).
double variation_band(std::size_t count);

/// The CV of the `count` largest excesses.
struct VariationPoint {
    std::size_t count = 0;
    double threshold = 0; ///< The largest value that is no excess.
    double variation = 0;
};

/// The CV for every number of excesses from 11 to `most`, half the sample if it is not given;
/// numbers that a tie splits are left out, as are those of a single value. Of times on a lattice
/// the CV is that of excesses over a half step. Requires: `most` smaller than the sample.
std::vector<VariationPoint> variation_plot(std::span<const double> sorted,
                                           const Lattice& lattice = {},
                                           std::optional<std::size_t> most = {});

/// The choice of the number of excesses by MBPTA-CV.
struct VariationChoice {
    /// First number of excesses from 11 to 50 whose CV is above the band: a heavy tail.
    std::optional<VariationPoint> heavy;
    /// More than 50 excesses, before the first CV above the band, with the CV closest to 1.
    std::optional<VariationPoint> chosen;
};
VariationChoice choose_by_variation(std::span<const VariationPoint> plot);

} // namespace warpbound::models
