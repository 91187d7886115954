#pragma once
/// \file
/// The path problem under exclusive and linear facts: pairs are held by the path graph where that
/// is affordable; for what is left, one flow problem per choice among the exclusive blocks.

#include "analyzer/flow/flow_facts.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"

#include <chrono>

namespace warpbound::analyzer {

struct ConstrainedPath {
    bool feasible = true;                ///< False: no path satisfies the facts.
    std::int64_t bound = 0;              ///< Proved. Side: as asked.
    Proof proof = Proof::StructuralPath; ///< Of the case that decides.
    bool solver_used = false;            ///< Not where the best path satisfies the facts anyway.
    bool optimal = false;                ///< `witness` costs `bound`.
    std::optional<BlockPath> witness;
};

/// Never worse than the bound from loop bounds alone, whatever limit is met.
ConstrainedPath solve_with_facts(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                                 const std::vector<BackEdgeBounds>& bounds,
                                 const models::FlowFacts& facts, Side side,
                                 std::optional<std::chrono::steady_clock::time_point> deadline,
                                 std::uint64_t seed);

} // namespace warpbound::analyzer
