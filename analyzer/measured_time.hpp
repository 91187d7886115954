#pragma once
/// \file
/// Bounds on the time between two clock reads (C3).

#include "analyzer/longest_path.hpp"

namespace warpbound::analyzer {

/// The two clock reads of a function, each in its block.
struct ClockRegion {
    std::size_t first_block = 0;
    std::size_t first = 0; ///< Instruction.
    std::size_t last_block = 0;
    std::size_t last = 0;
};

/// The region, or why there is none. Both empty: the function does not read the clock.
struct RegionSearch {
    std::optional<ClockRegion> region;
    std::string absent;
};
RegionSearch find_clock_region(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph,
                               const std::vector<bool>& never);

/// From the issue of the first read to the issue of the last. Side: as `pipeline`'s. Nothing when
/// no path has both.
std::optional<std::int64_t> region_cost(const assembly::ControlFlowGraph& graph,
                                        const StateGraph& states, const Pipeline& pipeline,
                                        const StructuralPaths& paths, const ClockRegion& region);

} // namespace warpbound::analyzer
