#pragma once
/// \file
/// The assumption that no thread ends abnormally: traps, and calls of code that the listing does
/// not hold (printf, assert), are not executed.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

namespace warpbound::models {

/// Adds never facts for the blocks from which each path ends so, and uniform facts for branches
/// that then have one way left. All have origin normal-end and stay unchecked. A bound says nothing
/// of launches in which they fail.
void assume_normal_ends(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                        FlowFacts& facts);

} // namespace warpbound::models
