#pragma once
/// \file
/// The path problem that both sides share: nodes are a block and what distinguishes ways of
/// entering it, edges have a cost, and a path from node 0 to an end is a bound for the blocks it
/// visits.

#include "analyzer/bound.hpp"

#include <cstddef>
#include <cstdint>
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

/// Keeps what node 0 reaches and can still end, renumbers it by block and merges parallel edges:
/// the costlier stays on the upper side, the cheaper on the lower.
PathGraph tidy(PathGraph graph, Side side);

} // namespace warpbound::analyzer
