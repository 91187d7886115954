#pragma once
/// \file
/// Flow facts held against the kernel that they are stated of.

#include "analyzer/flow/infeasible_paths.hpp"
#include "analyzer/flow/loop_bounds.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Flow facts in terms of the control-flow graph.
struct ResolvedFacts {
    std::vector<bool> never;           ///< Per block: never executed.
    std::vector<BackEdgeBounds> loops; ///< Per loop of the graph.
    /// Per loop of the graph, what follows from the code; `loops` holds it as well.
    std::vector<std::optional<DerivedLoop>> derived;
    /// What branches exclude and nobody stated; `in_use` holds it as well.
    std::vector<DerivedPathFact> branches;
    models::FlowFacts in_use;
};

/// Bounds of loops are those of the facts and those that follow from the code, both where there are
/// both. Refuses, with the fact's line: an address that is no block or loop header, a loop without
/// a bound (all of them are named), a bound that contradicts the code, `never` on the entry, a
/// refuted fact, a block that excludes itself, an edge that the graph does not have.
/// `branches_of`: what branches exclude in such a launch is used as well.
Result<ResolvedFacts> resolve_facts(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph,
                                    const models::FlowFacts& facts,
                                    const std::optional<models::Launch>& branches_of = {});

/// Whether there are exclusive or linear facts.
bool has_further_facts(const models::FlowFacts& facts);
/// Blocks at an address, in all call contexts.
std::vector<std::size_t> blocks_at(const assembly::ControlFlowGraph& graph, std::int64_t address);
/// The block at the address is the only copy of its code and in no loop.
bool executes_at_most_once(const assembly::ControlFlowGraph& graph, std::int64_t address);

} // namespace warpbound::analyzer
