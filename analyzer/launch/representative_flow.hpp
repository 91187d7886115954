#pragma once
/// \file
/// Parts of a control flow: of the threads that represent their warps (S46), and of what facts
/// allow.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

namespace warpbound::analyzer {

/// The graph without the edges and ends that the fact excludes. Blocks, edges and loops keep their
/// numbers.
assembly::ControlFlowGraph representative_flow(const assembly::ControlFlowGraph& graph,
                                               const models::RepresentativeFact& fact);

/// The graph without the edges that no thread takes: into blocks that are never executed, and those
/// that facts exclude by themselves. Blocks, edges and loops keep their numbers. `facts`: of the
/// paths of `graph`.
assembly::ControlFlowGraph possible_flow(const assembly::ControlFlowGraph& graph,
                                         const models::FlowFacts& facts);

} // namespace warpbound::analyzer
