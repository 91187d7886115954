#pragma once
/// \file
/// The path problem under exclusive and linear facts: infeasible pairs are encoded in the path
/// graph where that is affordable. The remaining facts make one flow problem per choice among the
/// exclusive blocks.

#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "models/units.hpp"

#include <chrono>

namespace warpbound::analyzer {

struct ConstrainedPath {
    bool feasible = true;                ///< False: no path satisfies the facts.
    models::Cycles bound;                ///< Proved. Side: as asked.
    Proof proof = Proof::StructuralPath; ///< Of the case that decides.
    bool solver_used = false; ///< False where the structural best path satisfies the facts.
    bool optimal = false;     ///< `witness` costs `bound`.
    std::optional<BlockPath> witness;
};

/// The bound is never worse than that from loop bounds alone, whatever limit is met.
ConstrainedPath solve_with_facts(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                                 const std::vector<BackEdgeBounds>& bounds,
                                 const models::FlowFacts& facts, Side side,
                                 std::optional<std::chrono::steady_clock::time_point> deadline,
                                 std::uint64_t seed);

} // namespace warpbound::analyzer
