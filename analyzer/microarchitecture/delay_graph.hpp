#pragma once
/// \file
/// The path problem of the upper side. Every time is a maximum of sums of delays, so the latest end
/// over all paths is the longest max-plus path: a sequence of delays, each after the component of
/// the pipeline state that the delay before it ends in.

#include "analyzer/microarchitecture/state_intervals.hpp"
#include "analyzer/path/path_graph.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// A node is a block and the component of the pipeline state through which a max-plus path enters
/// it: the predecessor's gap, or a component that may delay an issue beyond the gap.
/// `components_per_block`: how many components are followed; the others count as their largest
/// distance from the gap (docs/theory, S5). Side: upper. `outstanding`: of the same span and
/// pipeline.
PathGraph build_delay_graph(const assembly::ControlFlowGraph& graph, const PipelineModel& upper,
                            const Outstanding& outstanding, const PerBlock<bool>& skip,
                            std::size_t components_per_block, const Span& span);

/// The same for beginnings of paths, each less its own demand: a path may end at the issue of any
/// instruction, or at completion. Its cost is reduced by `demand` of the instructions before that
/// end (docs/theory, S74). `demand`: per instruction. `Unit:` core cycles.
PathGraph build_prefix_delay_graph(const assembly::ControlFlowGraph& graph,
                                   const PipelineModel& upper, const Outstanding& outstanding,
                                   const PerBlock<bool>& skip, std::size_t components_per_block,
                                   const Span& span, const std::vector<std::int64_t>& demand);

} // namespace warpbound::analyzer
