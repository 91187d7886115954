#pragma once
/// \file
/// The clock region: the part of a run that two clock reads measure (C3).

#include "analyzer/microarchitecture/span.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace warpbound::analyzer {

/// The two clock reads of a function, each in its block.
struct ClockRegion {
    BlockIndex first_block;
    std::size_t first = 0; ///< Instruction.
    BlockIndex last_block;
    std::size_t last = 0;
};

/// The region, or why there is none. Both empty: the function does not read the clock.
struct RegionSearch {
    std::optional<ClockRegion> region;
    std::string absent;
};

/// The clock region of a kernel with exactly two clock reads, both outside loops, which every run
/// executes once each in the same order.
RegionSearch find_clock_region(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph,
                               const PerBlock<bool>& never);

/// From the issue of the first read, in the state `after_first`, to that of the last.
Span span_of(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
             const ClockRegion& region, PipelineState after_first);

/// Blocks that are never executed, and those from which the last read cannot be reached.
PerBlock<bool> outside(const assembly::ControlFlowGraph& graph, const PerBlock<bool>& never,
                       const ClockRegion& region);

} // namespace warpbound::analyzer
