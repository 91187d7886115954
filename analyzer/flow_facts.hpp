#pragma once
/// \file
/// Flow facts held against the kernel that they are stated of.

#include "analyzer/longest_path.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/flow_facts.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Flow facts in terms of the control-flow graph.
struct ResolvedFacts {
    std::vector<bool> never;           ///< Per block: never executed.
    std::vector<BackEdgeBounds> loops; ///< Per loop of the graph.
};

/// Refuses, with the fact's line: an address that is no block or loop header, a loop without a
/// bound (all of them are named), `never` on the entry, a refuted fact, a block that excludes
/// itself, an edge that the graph does not have.
Result<ResolvedFacts> resolve_facts(const assembly::Function& function,
                                    const assembly::ControlFlowGraph& graph,
                                    const models::FlowFacts& facts);

/// Blocks at an address, in all call contexts.
std::vector<std::size_t> blocks_at(const assembly::ControlFlowGraph& graph, std::int64_t address);

} // namespace warpbound::analyzer
