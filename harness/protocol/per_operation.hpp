#pragma once
/// \file
/// The time of one of n equal operations, by two methods that must agree: the slope between regions
/// with n and with 2n operations, and the difference of a region and the empty region.

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
    double by_slope = 0;            ///< (time(2n) - time(n)) / n; what both contain cancels.
    std::optional<double> by_empty; ///< (time(2n) - empty) / 2n; none without an empty region.
    double overhead = 0;            ///< 2 time(n) - time(2n): the extrapolated time for n = 0.
    /// Why the two methods contradict each other; empty: they agree, or cannot be compared.
    std::string disagreement;
};

/// Uses the largest n for which 2n was measured too; empty if there is none. The overhead must
/// equal the empty region's time within one cycle if the region adds only its operations to the
/// empty region (`adds_to_empty`), all times are constant, and those of n / 2, n and 2n are
/// collinear; otherwise it is a disagreement. The overhead of a dependence chain differs, because
/// nothing waits for its last result, and is not compared. Requires: regions sorted by n, with all
/// other axes equal.
std::optional<PerOperation> per_operation(std::span<const RegionTimes> regions,
                                          const std::optional<RegionTimes>& empty,
                                          bool adds_to_empty);

} // namespace warpbound::harness
