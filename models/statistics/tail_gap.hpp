#pragma once
/// \file
/// Test for a gap in the upper tail: a rare mode far above the other runs, which a fit to the bulk
/// would miss.
///
/// The i-th largest spacing times i is exponential for an exponential tail (Renyi 1953); the share
/// of the largest one has Fisher's distribution (1929).

#include "models/statistics/extremes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace warpbound::models {

struct TailGap {
    double share = 0; ///< Of the largest weighted spacing in their sum.
    double p_value = 1;
    std::size_t above = 0; ///< Runs above the gap.
    double from = 0;       ///< Largest value below the gap.
    double to = 0;         ///< Smallest value above it.
    std::size_t spacings = 0;
    bool resampled = false; ///< Ties: p-value by 999 replicates on the lattice.
};

/// Of the `count` largest values and those that are tied with the last of them. A tail lighter than
/// exponential is first transformed by its fitted GPD (shape at least -1/2), so that its shorter
/// spacings raise no alarm. None for a sample with `count` values or fewer, or where the largest
/// ones are equal. Requires: increasing.
std::optional<TailGap> tail_gap(std::span<const double> sorted, std::size_t count,
                                const Lattice& lattice, std::uint64_t seed);

} // namespace warpbound::models
