#pragma once
/// \file
/// The dip test of unimodality (Hartigan and Hartigan 1985).

#include <cstddef>
#include <span>

namespace warpbound::harness {

/// The dip: largest distance between the empirical distribution and the closest unimodal one.
/// From 1 / (2 n) to 1/4; 0 for equal samples. Requires: at least one sample, increasing.
/// Source: Hartigan and Hartigan 1985; computed as algorithm AS 217 (P. M. Hartigan 1985) does.
double dip_of(std::span<const double> sorted);

/// The dip that a uniform sample of this size exceeds with a probability of 1 %; a larger one
/// rejects a single mode at that level. Infinite below 4 samples, which reject nothing.
/// Source: Hartigan and Hartigan 1985, table 1; Maechler, R package diptest, 10^6 samples for each
/// size. Between sizes dip times root of n is interpolated.
double critical_dip(std::size_t samples);

} // namespace warpbound::harness
