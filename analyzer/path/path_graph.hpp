#pragma once
/// \file
/// The path problem that both sides share: nodes are a block and what distinguishes ways of
/// entering it, edges have a cost, and a path from node 0 to an end is a bound for the blocks it
/// visits.

#include "analyzer/microarchitecture/pipeline_model.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

struct PathEdge {
    std::size_t to = 0;    ///< Node.
    std::int64_t cost = 0; ///< `Unit:` core cycles.
};

struct PathNode {
    std::size_t block = 0;
    std::optional<std::int64_t> end_cost; ///< To the end, where a path may end.
    std::vector<PathEdge> successors;     ///< By node, one edge to each.
};

/// Node 0 is the start. All nodes are reachable. Sorted by block, which is reverse post order.
struct PathGraph {
    std::vector<PathNode> nodes;
    /// Every path's cost is that of its blocks on this side: nothing was joined or left out.
    bool exact = true;
};

/// Which part of a run is bounded: from the entry to completion (C2), or between two instructions.
struct Span {
    struct Stop {
        std::size_t block = 0;
        std::size_t instruction = 0; ///< Whose issue ends the span.
    };
    std::size_t block = 0; ///< In no loop, unless the span starts at the entry.
    std::size_t next = 0;  ///< First instruction that is issued; may be behind the block.
    PipelineState state;   ///< Since the issue before; the gap is set.
    std::optional<Stop> stop;
    bool ends_at_exit = false; ///< At the issue of the EXIT, not at completion. Lower side only.
};

/// From the entry to completion.
Span whole_run(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline);

/// Keeps what node 0 reaches and can still end, renumbers it by block and merges parallel edges:
/// the costlier stays on the upper side, the cheaper on the lower.
PathGraph tidy(PathGraph graph, Side side);

} // namespace warpbound::analyzer
