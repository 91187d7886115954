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

/// The step that recorded times are multiples of, from some value on: times are taken as rounded to
/// the nearest step. 0: continuous.
struct Lattice {
    double step = 0;
    double anchor = 0; ///< A value on it.

    /// The value on the lattice next to `value`; without a step the value itself.
    [[nodiscard]] double nearest(double value) const;
    /// Half a step above the largest value on the lattice that is at most `value`: a run is above
    /// the one if and only if its time before rounding is above the other.
    [[nodiscard]] double half_step_above(double value) const;
};

/// Excesses over the half step above their threshold. They lie in the middle of steps, as the times
/// before rounding do on average.
Excesses over_half_step(Excesses excesses, const Lattice& lattice);

/// Greatest common divisor of the differences of whole numbers; 0 if all are equal.
std::int64_t lattice_step(std::span<const std::int64_t> values);

} // namespace warpbound::models
