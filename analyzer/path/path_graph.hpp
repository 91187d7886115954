#pragma once
/// \file
/// The path graph that both sides share. A node is a block together with the pipeline state or the
/// delay with which it is entered; edges have a cost. The cost of a path from node 0 to an end
/// bounds the time of the sequence of blocks that it visits.

#include "analyzer/bound.hpp"
#include "assembly/flow/block_index.hpp"
#include "assembly/support/index.hpp"
#include "assembly/support/indexed_vector.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

using assembly::BlockIndex;
using assembly::PerBlock;

/// A node of a path graph.
using NodeIndex = assembly::Index<struct PathNodeTag>;
/// Where paths start.
inline constexpr NodeIndex start_node{0};
template <class T> using PerNode = assembly::IndexedVector<NodeIndex, T>;

struct PathEdge {
    NodeIndex to;
    std::int64_t cost = 0; ///< `Unit:` core cycles.
};

struct PathNode {
    BlockIndex block;
    std::optional<std::int64_t> end_cost; ///< Cost to the end, where a path may end.
    std::vector<PathEdge> successors;     ///< Sorted by node, one edge to each.
};

/// The first node is the start. All nodes are reachable. Sorted by block, which is reverse
/// postorder.
struct PathGraph {
    PerNode<PathNode> nodes;
    /// Every path's cost is that of its blocks on this side: no states were joined, no delays left
    /// out.
    bool exact = true;
};

/// Keeps the nodes that node 0 reaches and that reach an end, renumbers them by block and merges
/// parallel edges: the costlier remains on the upper side, the cheaper on the lower.
PathGraph tidy(PathGraph graph, Side side);

} // namespace warpbound::analyzer
