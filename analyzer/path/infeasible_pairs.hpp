#pragma once
/// \file
/// Infeasible pairs: two blocks or edges of which a path takes at most one. They are encoded in the
/// path graph: a node remembers which events of pairs that can still conflict have occurred.

#include "analyzer/path/path_graph.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

namespace warpbound::analyzer {

/// A path graph and the facts that it does not encode.
struct PairConstrainedPaths {
    PathGraph paths;
    models::FlowFacts remaining; ///< Facts that are not encoded: exclusive and linear ones.
};

/// The fact says no more than that a path takes at most one of two blocks or edges outside loops,
/// or none of some, or leaves a block over one edge alone and does not end there.
bool is_encodable(const assembly::ControlFlowGraph& graph, const models::LinearFact& fact);

/// The paths of the result are exactly those of `paths`, with the same costs, that satisfy the
/// encoded facts (docs/theory, S19c). Not encoded are facts that are not encodable, and pairs where
/// too many are open at once.
PairConstrainedPaths encode_pairs(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                                  const models::FlowFacts& facts, Side side);

} // namespace warpbound::analyzer
