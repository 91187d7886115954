#pragma once
/// \file
/// What is known of registers at the ends of blocks, and what decides the way out of a block.

#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// `Shape:` [block]; nothing for blocks that are not in question.
using BlockStates = std::vector<std::optional<SymbolicRegisters>>;

/// At the end of each block, whenever a run is there. Symbols are numbers at the entry of the
/// function, and numbers that the run computes at a place that it passes at most once.
BlockStates values_in_run(const assembly::Function& function,
                          const assembly::ControlFlowGraph& graph, Lanes lanes);

/// At the end of each block of a loop, in terms of the registers at the start of its turn.
BlockStates values_in_turn(const assembly::Function& function,
                           const assembly::ControlFlowGraph& graph, const assembly::Loop& loop,
                           Lanes lanes);

/// Which way a block is left.
struct Decision {
    Predicate when;                       ///< Then `taken`, else `otherwise`.
    std::optional<std::size_t> taken;     ///< Edge; none: the lane ends.
    std::optional<std::size_t> otherwise; ///< Edge.
};

/// What decides at the end of a block, from the values there; nothing when it is not understood or
/// more than a guard decides.
std::optional<Decision> decision_of(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph,
                                    const SymbolicRegisters& values, std::size_t block);

} // namespace warpbound::analyzer
