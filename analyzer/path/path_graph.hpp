#pragma once
/// \file
/// The path graph that both sides share. A node is a block together with the pipeline state or the
/// delay with which it is entered; edges have a cost. The cost of a path from node 0 to an end
/// bounds the time of the sequence of blocks that it visits.

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
    std::optional<std::int64_t> end_cost; ///< Cost to the end, where a path may end.
    std::vector<PathEdge> successors;     ///< Sorted by node, one edge to each.
};

/// Node 0 is the start. All nodes are reachable. Sorted by block, which is reverse postorder.
struct PathGraph {
    std::vector<PathNode> nodes;
    /// Every path's cost is that of its blocks on this side: no states were joined, no delays left
    /// out.
    bool exact = true;
};

/// Keeps the nodes that node 0 reaches and that reach an end, renumbers them by block and merges
/// parallel edges: the costlier remains on the upper side, the cheaper on the lower.
PathGraph tidy(PathGraph graph, Side side);

} // namespace warpbound::analyzer
