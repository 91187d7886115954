#pragma once
/// \file
/// The time of one of n equal operations, by two ways that must agree: from regions with n and with
/// 2n of them, and from a region less the empty one.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace warpbound::harness {

/// The times of a region with n operations. `Unit:` core cycles.
struct RegionTimes {
    std::int64_t n = 0;
    std::int64_t best = 0;
    std::int64_t worst = 0;
    double mean = 0;

    [[nodiscard]] bool is_constant() const { return best == worst; }
};

/// Estimates, not bounds. `Unit:` core cycles.
struct PerOperation {
    std::int64_t n = 0;             ///< The regions compared have n and 2n operations.
    double by_slope = 0;            ///< (time(2n) - time(n)) / n; what both contain is gone.
    std::optional<double> by_empty; ///< (time(2n) - empty) / 2n; none without an empty region.
    double overhead = 0;            ///< 2 time(n) - time(2n): what the slope leaves for n = 0.
    /// Why the two ways contradict each other; empty: they do not, or nothing can be said.
    std::string disagreement;
};

/// By the largest n of which 2n was measured too; nothing when there is none. Where the time is
/// that of the empty region and the operations (`adds_to_empty`), all times are constant, and those
/// of n / 2, n and 2n lie on a line, the overhead must be the empty region's within one cycle: what
/// is further off is a disagreement. A chain's overhead is another one, because nothing waits for
/// its last result, and is not compared. Requires: regions by increasing n, all of the same other
/// axes.
std::optional<PerOperation> per_operation(std::span<const RegionTimes> regions,
                                          const std::optional<RegionTimes>& empty,
                                          bool adds_to_empty);

} // namespace warpbound::harness
