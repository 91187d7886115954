#pragma once
/// \file
/// The path problem under exclusive and linear facts: one flow problem per choice among the
/// exclusive blocks.

#include "analyzer/flow_facts.hpp"
#include "analyzer/longest_path.hpp"

#include <chrono>

namespace warpbound::analyzer {

struct FactPathResult {
    bool feasible = true; ///< False: no path satisfies the facts.
    std::int64_t bound =
        0; ///< Proved. Side: as asked; never worse than the structural bound given.
    bool by_relaxation = false; ///< Better than structural.
    bool by_refutation = false; ///< Better than the relaxation.
    bool optimal = false;       ///< `witness` costs `bound`.
    std::optional<NodePath> witness;
};

/// `structural`: the bound from loop bounds alone, which survives every limit.
FactPathResult solve_with_facts(const assembly::ControlFlowGraph& graph, const StateGraph& states,
                                const std::vector<BackEdgeBounds>& bounds,
                                const models::FlowFacts& facts, Side side, std::int64_t structural,
                                std::optional<std::chrono::steady_clock::time_point> deadline,
                                std::uint64_t seed);

} // namespace warpbound::analyzer
