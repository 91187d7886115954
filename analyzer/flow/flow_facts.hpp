#pragma once
/// \file
/// Stated flow facts, checked against the kernel's control-flow graph and combined with derived
/// ones.

#include "analyzer/flow/infeasible_paths.hpp"
#include "analyzer/flow/loop_bounds.hpp"
#include "assembly/flow/block_index.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/barrier_rule.hpp"
#include "models/facts/flow_facts.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Flow facts in terms of the control-flow graph.
struct ResolvedFacts {
    assembly::PerBlock<bool> never;    ///< Never executed.
    std::vector<BackEdgeBounds> loops; ///< Per loop of the graph.
    /// Per loop of the graph, the bound that follows from the code; `loops` includes it.
    std::vector<std::optional<DerivedLoop>> derived;
    /// Infeasible paths that follow from branch conditions and are not stated; `in_use` includes
    /// them.
    std::vector<DerivedPathFact> infeasible_paths;
    models::FlowFacts in_use;     ///< Stated and derived.
    models::BarrierRule barriers; ///< Of the kernel's control flow under `in_use`.
};

/// A loop's bound is the intersection of the stated and the derived one, where there are both.
/// Refuses, with the fact's line: an address that is no block or loop header, a loop without a
/// bound (all of them are named), a bound that contradicts the code, `never` on the entry, a
/// refuted fact, a block that excludes itself, an edge that the graph does not have.
/// `follow_branches_in`: the launch whose infeasible paths are derived and used; nothing: none are.
Result<ResolvedFacts> resolve_facts(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph,
                                    const models::FlowFacts& facts,
                                    const std::optional<models::Launch>& follow_branches_in = {});

/// Whether there are exclusive pairs or linear constraints.
bool has_further_facts(const models::FlowFacts& facts);
/// Blocks at an address, in all call contexts.
std::vector<assembly::BlockIndex> blocks_at(const assembly::ControlFlowGraph& graph,
                                            std::int64_t address);
/// The address has one block (one call context), which is in no loop.
bool executes_at_most_once(const assembly::ControlFlowGraph& graph, std::int64_t address);

} // namespace warpbound::analyzer
