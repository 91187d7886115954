#pragma once
/// \file
/// Infeasible pairs: two blocks or edges of which a path takes at most one. They are encoded in the
/// path graph: a node remembers which events of pairs that can still conflict have occurred.

#include "analyzer/path/path_graph.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "models/facts/flow_facts.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// A path graph and the facts that it does not encode.
struct PairConstrainedPaths {
    PathGraph paths;
    models::FlowFacts remaining; ///< Facts that are not encoded: exclusive and linear ones.
};

/// A path enters the block, or (with `from`) takes an edge into it.
struct PathEvent {
    std::optional<std::int64_t> from; ///< Address.
    std::int64_t block = 0;           ///< Address.

    friend auto operator<=>(const PathEvent&, const PathEvent&) = default;
};

/// A block, and the events of pairs that have occurred on each path that leads to the state.
struct PairState {
    BlockIndex block;
    std::vector<std::size_t> memory;     ///< Events, sorted.
    std::vector<std::size_t> successors; ///< States, one for each edge that the facts allow.
};

/// The control-flow graph as far as a path graph goes, each block with what is remembered there.
/// Paths start in state 0.
struct PairStates {
    std::vector<PathEvent> events;
    std::vector<PairState> states;
};

/// The product of a path graph with such states (docs/theory, S19c and S87).
struct PairProduct {
    /// A node for each node of the path graph and each state in which a path reaches it, in this
    /// order. Paths that come to no end are kept.
    PathGraph paths;
    PairStates states;
    /// Indices of the exclusive and linear facts that are not encoded, without pairs from the code:
    /// to leave these out only weakens the bound.
    std::vector<std::size_t> exclusives;
    std::vector<std::size_t> constraints;
};

/// The fact says no more than that a path takes at most one of two blocks or edges outside loops,
/// or none of some, or leaves a block over one edge alone and does not end there.
bool is_encodable(const assembly::ControlFlowGraph& graph, const models::LinearFact& fact);

/// The paths to an end are exactly those of `paths`, with the same costs, that satisfy the encoded
/// facts. Not encoded are facts that are not encodable, and pairs where too many are open at once:
/// of those that are stated the flow problem takes care, those from the code are left out.
PairProduct product_of_pairs(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                             const models::FlowFacts& facts);

/// These exclusive and linear facts alone.
models::FlowFacts facts_at(const models::FlowFacts& facts,
                           const std::vector<std::size_t>& exclusives,
                           const std::vector<std::size_t>& constraints);

/// The product without paths that come to no end.
PairConstrainedPaths encode_pairs(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                                  const models::FlowFacts& facts, Side side);

} // namespace warpbound::analyzer
