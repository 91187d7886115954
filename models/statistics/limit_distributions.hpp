#pragma once
/// \file
/// Limit distributions of tests of order and fit.

namespace warpbound::models {

/// Probability that Kolmogorov's variable, the largest absolute value of a Brownian bridge, exceeds
/// `lambda`. `Source:` Kolmogorov 1933; Smirnov 1939.
double kolmogorov_exceedance(double lambda);

/// Probability that the integral of a squared Brownian bridge exceeds `w`: the limit of the
/// Cramer-von Mises and of the KPSS statistic. `Source:` Anderson and Darling 1952, eq. 4.35.
double cramer_von_mises_exceedance(double w);

/// Probability that the largest of `count` exponential variables is more than the share `share` of
/// their sum. `Source:` Fisher 1929, eq. 2.
double largest_share_exceedance(double share, int count);

} // namespace warpbound::models
