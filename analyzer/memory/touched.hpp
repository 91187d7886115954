#pragma once
/// \file
/// Which lines and sectors the loads and stores of a launch touch, where address patterns give all
/// of them (docs/soundness.md, S22).

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct Problem;

struct Touched {
    /// Transactions of loads that leave one L1 in all, at most, where nothing that it holds is ever
    /// replaced; none: something may be.
    std::optional<std::int64_t> transactions;
    std::int64_t most_sectors = 1; ///< Of the L1, that a line access of a load touches.
    /// Per instruction: a load whose last line access has, at every execution, a sector that no
    /// other access of the launch touches. It hits nowhere.
    std::vector<bool> always_misses;
};

/// None: the launch makes too many accesses to list them. Requires: `problem.caches`.
std::optional<Touched> touched_by(const Problem& problem);

} // namespace warpbound::analyzer
