#pragma once
/// \file
/// L-moments of a sample, and the fits that they give.
///
/// `Source:` Hosking 1990; Hosking, Wallis and Wood 1985 for the GEV; Hosking and Wallis 1987 for
/// the GPD.

#include "models/statistics/extreme_value.hpp"

#include <optional>
#include <span>

namespace warpbound::models {

/// `Unit:` that of the sample; of the ratio 1.
struct LMoments {
    double l1 = 0; ///< The mean.
    double l2 = 0; ///< Half the mean difference of two values.
    double l3 = 0;
    double skewness = 0; ///< l3 / l2; 0 for a constant sample.
};

/// From unbiased probability-weighted moments. Requires: at least three finite values, increasing.
LMoments l_moments(std::span<const double> sorted);

/// None where the sample is constant or no distribution has these moments.
std::optional<Gumbel> gumbel_by_l_moments(const LMoments& moments);
std::optional<Exponential> exponential_by_l_moments(const LMoments& moments);
/// Of excesses over a known threshold.
std::optional<GeneralizedPareto> pareto_by_l_moments(const LMoments& moments);
/// The shape solves the equation of the L-skewness, by Newton from Hosking's approximation.
std::optional<GeneralizedExtremeValue> extreme_value_by_l_moments(const LMoments& moments);
/// By Hosking's approximation alone, whose error in the shape is below 9e-4.
std::optional<GeneralizedExtremeValue> extreme_value_by_hosking(const LMoments& moments);

} // namespace warpbound::models
