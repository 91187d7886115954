#pragma once
/// \file
/// A control-flow graph made of given blocks.

#include "assembly/flow/block_exploration.hpp"
#include "assembly/flow/control_flow_graph.hpp"

namespace warpbound::assembly {

/// A graph, and which of the given blocks each block of it is.
struct OrderedBlocks {
    ControlFlowGraph graph;
    std::vector<std::size_t> given; ///< Per block of the graph: its place among those given.
};

/// Puts blocks in order, of which the first is the entry; those that it does not reach are left
/// out. Refuses irreducible loops.
Result<OrderedBlocks> order_blocks(const Function& function,
                                   const std::vector<ExploredBlock>& blocks);

} // namespace warpbound::assembly
