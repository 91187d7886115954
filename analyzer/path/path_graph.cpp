#include "analyzer/path/path_graph.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

PerNode<bool> reached_from_start(const PathGraph& graph) {
    PerNode<bool> reached(graph.nodes.size(), false);
    std::vector<NodeIndex> work{start_node};
    reached[start_node] = true;
    while (!work.empty()) {
        const NodeIndex node = work.back();
        work.pop_back();
        for (const PathEdge& edge : graph.nodes[node].successors) {
            if (reached[edge.to]) continue;
            reached[edge.to] = true;
            work.push_back(edge.to);
        }
    }
    return reached;
}

PerNode<bool> reaches_end(const PathGraph& graph) {
    PerNode<std::vector<NodeIndex>> into(graph.nodes.size());
    PerNode<bool> ends(graph.nodes.size(), false);
    std::vector<NodeIndex> work;
    for (const NodeIndex node : graph.nodes.indices()) {
        for (const PathEdge& edge : graph.nodes[node].successors)
            into[edge.to].push_back(node);
        if (!graph.nodes[node].end_cost) continue;
        ends[node] = true;
        work.push_back(node);
    }
    while (!work.empty()) {
        const NodeIndex node = work.back();
        work.pop_back();
        for (const NodeIndex before : into[node]) {
            if (ends[before]) continue;
            ends[before] = true;
            work.push_back(before);
        }
    }
    return ends;
}

} // namespace

PathGraph tidy(PathGraph graph, Side side) {
    auto& nodes = graph.nodes;
    const PerNode<bool> reached = reached_from_start(graph);
    const PerNode<bool> ends = reaches_end(graph);
    std::vector<NodeIndex> order{start_node};
    for (const NodeIndex node : nodes.indices())
        if (node != start_node && reached[node] && ends[node]) order.push_back(node);
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](NodeIndex a, NodeIndex b) { return nodes[a].block < nodes[b].block; });
    constexpr NodeIndex dropped{SIZE_MAX};
    PerNode<NodeIndex> position(nodes.size(), dropped);
    for (std::size_t i = 0; i < order.size(); ++i)
        position[order[i]] = NodeIndex{i};
    PathGraph result;
    result.exact = graph.exact;
    result.nodes.reserve(order.size());
    for (const NodeIndex old : order) {
        PathNode node = std::move(nodes[old]);
        auto& edges = node.successors;
        for (PathEdge& edge : edges)
            edge.to = position[edge.to];
        edges.erase(std::remove_if(edges.begin(), edges.end(),
                                   [](const PathEdge& edge) { return edge.to == dropped; }),
                    edges.end());
        // Of parallel edges the one that is kept comes first.
        std::sort(edges.begin(), edges.end(), [&](const PathEdge& a, const PathEdge& b) {
            if (a.to != b.to) return a.to < b.to;
            return side == Side::Upper ? a.cost > b.cost : a.cost < b.cost;
        });
        edges.erase(std::unique(edges.begin(), edges.end(),
                                [](const PathEdge& a, const PathEdge& b) { return a.to == b.to; }),
                    edges.end());
        result.nodes.push_back(std::move(node));
    }
    return result;
}

} // namespace warpbound::analyzer
