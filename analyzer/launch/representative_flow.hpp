#pragma once
/// \file
/// The control flow of the threads that represent their warps (S46).

#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

namespace warpbound::analyzer {

/// The graph without the edges and ends that the fact excludes. Blocks, edges and loops keep their
/// numbers.
assembly::ControlFlowGraph representative_flow(const assembly::ControlFlowGraph& graph,
                                               const models::RepresentativeFact& fact);

} // namespace warpbound::analyzer
