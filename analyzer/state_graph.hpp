#pragma once
/// \file
/// The path problem: every reachable pair of a block and a pipeline state at its entry, with the
/// time the block takes then.

#include "analyzer/pipeline.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// A block entered in a state. Costs are from the last issue before the block to the block's last
/// issue.
struct StateNode {
    std::size_t block = 0;
    std::int64_t cost = 0;
    std::optional<std::int64_t>
        end_cost; ///< From the block's last issue to completion, where the warp may end.
    std::vector<std::size_t> successors; ///< Nodes.
    PipelineState entry;
};

/// Node 0 is the entry. All nodes are reachable. Sorted by block, which is reverse post order.
struct StateGraph {
    std::vector<StateNode> nodes;
    /// True when no two states had to be joined: every path's cost is then exact on this side.
    bool exact = true;
};

/// `skip[block]`: the block is never executed. `states_per_block`: how many states are kept apart
/// before joining. Joined states are iterated to a fixed point (docs/soundness.md, S4 and S5).
StateGraph build_state_graph(const assembly::ControlFlowGraph& graph, const Pipeline& pipeline,
                             const std::vector<bool>& skip, std::size_t states_per_block);

/// Steps of a node's block, in order.
std::vector<IssueStep> steps_of(const assembly::BasicBlock& block, const StateNode& node,
                                const Pipeline& pipeline);

} // namespace warpbound::analyzer
