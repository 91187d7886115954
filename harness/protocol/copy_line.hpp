#pragma once
/// \file
/// Start-up and bandwidth of copies, from the times of copies of several sizes.

#include "assembly/support/result.hpp"

#include <cstdint>
#include <span>

namespace warpbound::harness {

/// The mean time of copies of one size.
struct CopyTime {
    std::int64_t bytes = 0;
    double time = 0; ///< `Unit:` core cycles.
};

/// Estimates, not bounds. A copy of n bytes takes start + n / bandwidth.
struct CopyLine {
    double start = 0;       ///< `Unit:` core cycles.
    double bandwidth = 0;   ///< `Unit:` bytes per core cycle.
    double worst_share = 0; ///< Largest distance of a time from the line, relative to the time.
};

/// The least-squares line with relative distances, so that small copies, which show the start-up
/// time, have as much weight as large ones, which show the bandwidth. Refuses fewer than two sizes,
/// a time that is not positive, and times that do not grow with the size. Source of the line:
/// Gajger 2017, eq. 5.5. Weights: ours.
Result<CopyLine> line_of_copies(std::span<const CopyTime> times);

} // namespace warpbound::harness
