#pragma once
/// \file
/// The rule that all threads of a block pass the same barriers, as a property of branches.

#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

#include <vector>

namespace warpbound::models {

/// Which decisions the barriers of a block depend on, among the paths that the facts allow.
/// Source: CUDA C++ Programming Guide, __syncthreads(): in conditional code only if the condition
/// evaluates identically across the block; threads that ended are not waited for.
struct BarrierRule {
    /// Per block: whether a barrier is passed, or how often, depends on the branch at its end
    /// (transitively). By the rule all threads of a block that execute it decide alike.
    std::vector<bool> decides;
    /// Threads may end before a barrier that others of their block pass afterwards: before all
    /// barriers, or also after some barrier.
    bool ends_before = false;
    bool ends_between = false;
};

BarrierRule barrier_rule(const assembly::Function& function,
                         const assembly::ControlFlowGraph& graph, const FlowFacts& facts);

/// Edges that the facts exclude: into blocks that are never executed, and edges that linear facts
/// of one term exclude. `Shape:` [edge].
std::vector<bool> excluded_edges(const assembly::ControlFlowGraph& graph, const FlowFacts& facts);

} // namespace warpbound::models
