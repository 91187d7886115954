#pragma once
/// \file
/// Which part of a run two clock reads measure (C3).

#include "analyzer/microarchitecture/span.hpp"

#include <string>

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

/// The two clock reads of a kernel, when there are exactly two outside loops that every run
/// executes once each, always in the same order.
RegionSearch find_clock_region(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph,
                               const std::vector<bool>& never);

/// From the issue of the first read, when `behind_first` is outstanding, to that of the last.
Span span_of(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
             const ClockRegion& region, PipelineState behind_first);

/// Blocks that are never executed, and those from which the last read cannot be reached.
std::vector<bool> outside(const assembly::ControlFlowGraph& graph, const std::vector<bool>& never,
                          const ClockRegion& region);

} // namespace warpbound::analyzer
