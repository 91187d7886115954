#include "analyzer/path/path_graph.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

std::vector<bool> reached_from_start(const PathGraph& graph) {
    std::vector<bool> reached(graph.nodes.size(), false);
    std::vector<std::size_t> work{0};
    reached[0] = true;
    while (!work.empty()) {
        const std::size_t node = work.back();
        work.pop_back();
        for (const PathEdge& edge : graph.nodes[node].successors) {
            if (reached[edge.to]) continue;
            reached[edge.to] = true;
            work.push_back(edge.to);
        }
    }
    return reached;
}

std::vector<bool> reaches_end(const PathGraph& graph) {
    std::vector<std::vector<std::size_t>> into(graph.nodes.size());
    std::vector<bool> ends(graph.nodes.size(), false);
    std::vector<std::size_t> work;
    for (std::size_t node = 0; node < graph.nodes.size(); ++node) {
        for (const PathEdge& edge : graph.nodes[node].successors)
            into[edge.to].push_back(node);
        if (!graph.nodes[node].end_cost) continue;
        ends[node] = true;
        work.push_back(node);
    }
    while (!work.empty()) {
        const std::size_t node = work.back();
        work.pop_back();
        for (const std::size_t before : into[node]) {
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
    const std::vector<bool> reached = reached_from_start(graph);
    const std::vector<bool> ends = reaches_end(graph);
    std::vector<std::size_t> order{0};
    for (std::size_t node = 1; node < nodes.size(); ++node)
        if (reached[node] && ends[node]) order.push_back(node);
    std::stable_sort(order.begin() + 1, order.end(),
                     [&](std::size_t a, std::size_t b) { return nodes[a].block < nodes[b].block; });
    constexpr std::size_t dropped = SIZE_MAX;
    std::vector<std::size_t> position(nodes.size(), dropped);
    for (std::size_t i = 0; i < order.size(); ++i)
        position[order[i]] = i;
    PathGraph result;
    result.exact = graph.exact;
    result.nodes.reserve(order.size());
    for (const std::size_t old : order) {
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
