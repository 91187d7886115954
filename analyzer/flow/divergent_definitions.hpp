#pragma once
/// \file
/// Registers that lanes of a warp define differently after a divergent branch: sync dependence
/// (S32a).

#include "analyzer/value/thread_states.hpp"
#include "assembly/flow/control_flow_graph.hpp"

#include <cstddef>
#include <optional>
#include <set>

namespace warpbound::analyzer {

/// What the branches that end `divergent` blocks imply; nothing where it is not known where their
/// lanes reconverge. Sources: Karrenberg and Hack, CC 2012; Rosemann, Moll and Hack, POPL 2021.
std::optional<DivergentDefinitions> divergent_definitions(const assembly::Function& function,
                                                          const assembly::ControlFlowGraph& graph,
                                                          const std::set<std::size_t>& divergent);

} // namespace warpbound::analyzer
