#pragma once
/// \file
/// Branches at which every thread decides alike, by what abstract execution found (S32b).

#include "analyzer/flow/abstract_execution.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <vector>

namespace warpbound::analyzer {

/// `Shape:` [instruction]: whether lanes that execute the branch or EXIT together go on alike, in
/// every call context: only one way is ever taken, or it alone leaves a loop of which every
/// execution has the same number of iterations.
/// `in_step`: see DivergentDefinitions. Sound when `run` is.
std::vector<bool> uniform_by_execution(const assembly::Function& function,
                                       const assembly::ControlFlowGraph& graph,
                                       const AbstractRun& run, const std::vector<bool>& in_step);

} // namespace warpbound::analyzer
