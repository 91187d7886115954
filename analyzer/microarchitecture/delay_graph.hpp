#pragma once
/// \file
/// The path problem of the upper side. Every time is a maximum of sums, so the latest end over all
/// paths is the longest chain of delays; a chain passes from one thing that later instructions may
/// wait for to the next.

#include "analyzer/microarchitecture/state_intervals.hpp"
#include "analyzer/path/path_graph.hpp"

namespace warpbound::analyzer {

/// Nodes are a block and the slot of the pipeline state that a chain is in at its entry: the
/// predecessor's gap, or one of those that may delay an issue behind it.
/// `slots_per_block`: how many slots are followed; the others count as their largest distance from
/// the gap (docs/soundness.md, S5). Side: upper. `outstanding`: of the same span and pipeline.
PathGraph build_delay_graph(const assembly::ControlFlowGraph& graph, const PipelineModel& upper,
                            const Outstanding& outstanding, const std::vector<bool>& skip,
                            std::size_t slots_per_block, const Span& span);

} // namespace warpbound::analyzer
