#pragma once
/// \file
/// The path problem of the lower side: a node is a reachable pair of a block and a pipeline state
/// at its entry; its edges cost the time that the block takes in this state.

#include "analyzer/microarchitecture/span.hpp"
#include "analyzer/path/path_graph.hpp"

namespace warpbound::analyzer {

/// `skip[block]`: the block is never executed. `states_per_block`: how many states a block has
/// before states are joined. Joined states are iterated to a fixed point (docs/theory, S4 and
/// S5). Side: the pipeline's.
PathGraph build_state_graph(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
                            const PerBlock<bool>& skip, std::size_t states_per_block,
                            const Span& span);

} // namespace warpbound::analyzer
