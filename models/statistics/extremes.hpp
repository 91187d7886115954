#pragma once
/// \file
/// The extremes of a sample in run order: maxima of blocks, excesses over a threshold, and the
/// lattice that its values lie on.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpbound::models {

/// Largest value of each whole block of `block` runs; a last block with fewer runs is left out.
/// Requires: block at least 1.
std::vector<double> block_maxima(std::span<const double> in_run_order, std::size_t block);

/// The part of a sample above a threshold.
struct Excesses {
    double threshold = 0;
    std::vector<double> values; ///< Value minus threshold, all positive, increasing.
    std::size_t runs = 0;       ///< Of the whole sample.

    /// zeta = k / n.
    [[nodiscard]] double share() const {
        return static_cast<double>(values.size()) / static_cast<double>(runs);
    }
};

/// The runs above `threshold`; one equal to it is no excess.
Excesses excesses_over(std::span<const double> sorted, double threshold);
/// The `count` largest values over the next smaller one. None where they are tied with it, or where
/// there is no smaller one.
std::optional<Excesses> largest_excesses(std::span<const double> sorted, std::size_t count);

/// Greatest common divisor of the differences of whole numbers; 0 if all are equal.
std::int64_t lattice_step(std::span<const std::int64_t> values);

} // namespace warpbound::models
