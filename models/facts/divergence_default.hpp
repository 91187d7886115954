#pragma once
/// \file
/// The safe reading of what no fact states: lanes diverge wherever they may.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

#include <vector>

namespace warpbound::models {

/// Instructions at which the lanes of a warp could differ so that time depends on it: branches and
/// EXITs with several outcomes, guarded memory accesses and barriers. `Shape:` [instruction].
std::vector<bool> deciding_instructions(const assembly::Function& function,
                                        const assembly::ControlFlowGraph& graph);

/// Adds a divergent fact for each such instruction about which no fact speaks; in code of AMD,
/// whose wavefronts follow one path (C100), a uniform one. Refuses a uniform fact where nothing is
/// decided, and divergent ones in code of AMD.
Result<void> assume_divergence(const assembly::Function& function,
                               const assembly::ControlFlowGraph& graph, FlowFacts& facts);

} // namespace warpbound::models
