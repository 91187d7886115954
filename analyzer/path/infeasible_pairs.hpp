#pragma once
/// \file
/// Pairs of which a path takes at most one, held by the path graph itself: a node remembers which
/// of the pairs that still matter have been decided.

#include "analyzer/path/path_graph.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

namespace warpbound::analyzer {

/// A path graph and the facts that it does not hold.
struct PairConstrainedPaths {
    PathGraph paths;
    models::FlowFacts left; ///< Exclusive and linear facts only.
};

/// The fact is no more than that of two blocks or edges outside loops at most one is taken, or
/// that none of some is.
bool is_pair(const assembly::ControlFlowGraph& graph, const models::LinearFact& fact);

/// Every path of the result is one of `paths` with the same cost that satisfies the facts which are
/// not left, and every such path of `paths` is there (docs/soundness.md, S19c). Facts are left
/// where too many pairs are open at once, and those that are no pairs.
PairConstrainedPaths encode_pairs(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                                  const models::FlowFacts& facts, Side side);

} // namespace warpbound::analyzer
