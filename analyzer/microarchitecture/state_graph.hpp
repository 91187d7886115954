#pragma once
/// \file
/// The path problem of the lower side: every reachable pair of a block and a pipeline state at its
/// entry, with the time the block takes then.

#include "analyzer/microarchitecture/span.hpp"
#include "analyzer/path/path_graph.hpp"

namespace warpbound::analyzer {

/// `skip[block]`: the block is never executed. `states_per_block`: how many states are kept apart
/// before joining. Joined states are iterated to a fixed point (docs/soundness.md, S4 and S5).
/// Side: the pipeline's.
PathGraph build_state_graph(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
                            const std::vector<bool>& skip, std::size_t states_per_block,
                            const Span& span);

} // namespace warpbound::analyzer
