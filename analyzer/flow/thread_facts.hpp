#pragma once
/// \file
/// Facts that follow from the threads of a block: uniformity analysis and coalescing analysis, run
/// under the weakest assumption on divergence that holds.

#include "analyzer/flow/abstract_execution.hpp"
#include "analyzer/flow/coalescing.hpp"
#include "analyzer/flow/uniformity.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <optional>
#include <set>

namespace warpbound::analyzer {

struct ThreadFacts {
    CoalescingFacts accesses;
    InstructionUniformity uniformity;
    /// No branch diverges: this follows from the code, not from a statement.
    bool always_uniform = false;
    /// No branch diverges: this follows from the code and what is stated of it.
    bool stays_converged = false;
    /// Registers of the warp that are written while some of its lanes wait that need them.
    std::set<assembly::Register> shared;
};

/// Instructions that are stated to be uniform. `Shape:` [instruction]; empty: none.
using UniformInstructions = std::vector<bool>;

/// What follows from the code for blocks of this shape, and from `stated`; a statement that the
/// code refutes is not used.
/// `parameters`: stated kernel parameters, on which all results then depend.
/// `last_block`: the largest index of a block of the launch, where that is stated.
/// `run`: an abstract execution of all threads of the launch; null: none. It may only have taken
/// registers as known that no lane writes while others wait.
/// Accesses that need sizes which the description lacks are left out.
/// Sound when: see derive_transactions.
ThreadFacts derive_thread_facts(const assembly::Function& function,
                                const assembly::ControlFlowGraph& graph, const BlockShape& shape,
                                const models::Architecture& architecture,
                                const UniformInstructions& stated,
                                const KernelParameters& parameters = {},
                                const AbstractRun* run = nullptr,
                                const std::optional<LastBlock>& last_block = {});
/// Of a launch: below the extent of its grid, else below the number of its blocks.
LastBlock last_block_of(const models::Launch& launch);

} // namespace warpbound::analyzer
