#pragma once
/// \file
/// Abstract register states at the ends of blocks, and the condition on which a block's successor
/// depends.

#include "analyzer/value/symbolic_registers.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// `Shape:` [block]; nothing for blocks that are outside the analyzed part or not reached.
using BlockStates = std::vector<std::optional<SymbolicRegisters>>;

/// States that hold at the end of each block in every run of the function. Symbols are the values
/// of registers at the function's entry, and values computed at program points outside all loops.
BlockStates block_states_of_run(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph, Convergence convergence);

/// States at the end of each block of a loop, in terms of the registers at the start of the current
/// iteration.
BlockStates block_states_of_iteration(const assembly::Function& function,
                                      const assembly::ControlFlowGraph& graph,
                                      const assembly::Loop& loop, Convergence convergence);

/// Which edge leaves a block.
struct BranchDecision {
    Predicate when;                       ///< True: `taken`; false: `otherwise`.
    std::optional<std::size_t> taken;     ///< Edge; nothing: the thread exits.
    std::optional<std::size_t> otherwise; ///< Edge.
};

/// The decision at the end of a block, from the state there; nothing when this version does not
/// know the predicate, or the successor depends on more than a guard.
std::optional<BranchDecision> decision_of(const assembly::Function& function,
                                          const assembly::ControlFlowGraph& graph,
                                          const SymbolicRegisters& values, std::size_t block);

} // namespace warpbound::analyzer
