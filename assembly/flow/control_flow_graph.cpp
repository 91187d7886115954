#include "assembly/flow/control_flow_graph.hpp"

#include "assembly/flow/block_exploration.hpp"
#include "assembly/flow/node_splitting.hpp"
#include "assembly/isa/source_places.hpp"
#include "assembly/support/stop_token.hpp"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::assembly {

namespace {

/// Explored blocks in reverse post order of a depth-first search, fall-through edges first.
std::vector<std::size_t> reverse_post_order(const std::vector<ExploredBlock>& blocks) {
    std::vector<std::size_t> order;
    std::vector<bool> seen(blocks.size(), false);
    std::vector<std::pair<std::size_t, std::size_t>> stack{{0, 0}};
    seen[0] = true;
    while (!stack.empty()) {
        check_stop(graph_step);
        auto& [block, next] = stack.back();
        // The taken branch is followed first, so that the code that falls through comes first in
        // the order.
        const auto& successors = blocks[block].successors;
        if (next < successors.size()) {
            const std::size_t to = successors[next++].block;
            if (!seen[to]) {
                seen[to] = true;
                stack.emplace_back(to, 0);
            }
        } else {
            order.push_back(block);
            stack.pop_back();
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

void add_blocks(const Function& function, const std::vector<ExploredBlock>& explored,
                const std::vector<std::size_t>& order, ControlFlowGraph& graph) {
    std::vector<std::size_t> position(explored.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        position[order[i]] = i;
    for (const std::size_t old : order) {
        BasicBlock block;
        block.first = explored[old].first;
        block.last = explored[old].last;
        block.address = function.instructions[block.first].address;
        block.exits = explored[old].exits;
        block.context = explored[old].context;
        graph.blocks.push_back(std::move(block));
    }
    for (std::size_t from = 0; from < order.size(); ++from) {
        check_stop(graph_step);
        std::vector<Edge> edges;
        for (const auto& [old, taken] : explored[order[from]].successors)
            edges.push_back({from, position[old], taken ? EdgeKind::Taken : EdgeKind::FallThrough});
        std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
            return std::pair{a.kind, a.to} < std::pair{b.kind, b.to};
        });
        edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
        for (const Edge& edge : edges) {
            graph.blocks[from].out.push_back(graph.edges.size());
            graph.blocks[edge.to].in.push_back(graph.edges.size());
            graph.edges.push_back(edge);
        }
    }
}

void add_dominators(ControlFlowGraph& graph) {
    using Graph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
    Graph flow(graph.blocks.size());
    for (const Edge& edge : graph.edges)
        boost::add_edge(edge.from, edge.to, flow);
    const auto none = boost::graph_traits<Graph>::null_vertex();
    std::vector<std::size_t> above(graph.blocks.size(), none);
    boost::lengauer_tarjan_dominator_tree(
        flow, std::size_t{0},
        boost::make_iterator_property_map(above.begin(), get(boost::vertex_index, flow)));
    for (const std::size_t block : above)
        graph.immediate_dominator.push_back(block == none ? std::nullopt : std::optional{block});
}

/// Numbers the dominator tree in preorder, so that a block dominates exactly the numbers of its
/// subtree.
void number_dominator_tree(ControlFlowGraph& graph) {
    const std::size_t count = graph.blocks.size();
    std::vector<std::size_t> below(count, 1); // blocks in the subtree
    // A dominator precedes what it dominates in reverse post order.
    for (std::size_t block = count; block-- > 1;)
        if (const auto above = graph.immediate_dominator[block]) below[*above] += below[block];
    std::vector<std::size_t> next(count, 0); // number of the next child's subtree
    std::size_t next_root = 0;
    graph.dominator_preorder.resize(count);
    for (std::size_t block = 0; block < count; ++block) {
        const auto above = graph.immediate_dominator[block];
        std::size_t& free = above ? next[*above] : next_root;
        graph.dominator_preorder[block] = {free, free + below[block] - 1};
        next[block] = free + 1;
        free += below[block];
    }
}

Result<void> add_loops(const Function& function, ControlFlowGraph& graph) {
    std::map<std::size_t, std::vector<std::size_t>> back_edges; // by header
    for (std::size_t index = 0; index < graph.edges.size(); ++index) {
        const Edge& edge = graph.edges[index];
        if (edge.to > edge.from) continue; // not retreating in reverse post order
        if (!graph.dominates(edge.to, edge.from)) {
            const auto& at = function.instructions[graph.blocks[edge.from].last];
            return Failure{fmt::format("kernel '{}': {}: irreducible loop: the branch to "
                                       "0x{:04x} enters a loop in "
                                       "its middle",
                                       function.name, place_of(function, at),
                                       graph.blocks[edge.to].address),
                           {},
                           at.position.line,
                           at.position.column};
        }
        back_edges[edge.to].push_back(index);
    }
    graph.innermost_loop.assign(graph.blocks.size(), std::nullopt);
    for (const auto& entry : back_edges) {
        const std::size_t header = entry.first;
        const std::vector<std::size_t>& edges = entry.second;
        Loop loop;
        loop.header = header;
        loop.back_edges = edges;
        loop.blocks.push_back(header);
        std::vector<bool> inside(graph.blocks.size() - header,
                                 false); // blocks of a loop follow its header
        inside[0] = true;
        std::vector<std::size_t> work;
        for (const std::size_t edge : edges)
            work.push_back(graph.edges[edge].from);
        while (!work.empty()) {
            const std::size_t block = work.back();
            work.pop_back();
            check_stop(graph_step);
            if (inside[block - header]) continue;
            inside[block - header] = true;
            loop.blocks.push_back(block);
            for (const std::size_t edge : graph.blocks[block].in)
                work.push_back(graph.edges[edge].from);
        }
        std::sort(loop.blocks.begin(), loop.blocks.end());
        const auto contains = [&](std::size_t block) {
            return block >= header && inside[block - header];
        };
        for (const std::size_t edge : graph.blocks[header].in)
            if (!contains(graph.edges[edge].from)) loop.entry_edges.push_back(edge);
        for (const std::size_t block : loop.blocks) {
            check_stop(graph_step);
            for (const std::size_t edge : graph.blocks[block].out)
                if (!contains(graph.edges[edge].to)) loop.exit_edges.push_back(edge);
        }
        // Headers come in reverse post order: loops around this one were added before it.
        loop.parent = graph.innermost_loop[header];
        if (loop.parent) loop.depth = graph.loops[*loop.parent].depth + 1;
        for (const std::size_t block : loop.blocks)
            graph.innermost_loop[block] = graph.loops.size();
        graph.loops.push_back(std::move(loop));
    }
    return boost::outcome_v2::success();
}

} // namespace

bool ControlFlowGraph::dominates(std::size_t above, std::size_t below) const {
    if (dominator_preorder.size() == blocks.size()) {
        const auto& [first, last] = dominator_preorder[above];
        const std::size_t number = dominator_preorder[below].first;
        return first <= number && number <= last;
    }
    // A dominator precedes what it dominates in reverse post order.
    while (below > above) {
        if (!immediate_dominator[below]) return false;
        below = *immediate_dominator[below];
    }
    return below == above;
}

Result<ControlFlowGraph> build_control_flow_graph(const Function& function) {
    const auto explored = explore_blocks(function);
    if (!explored) return explored.as_failure();
    auto ordered = order_blocks(function, explored.value());
    // Lanes of a warp of NVIDIA that execute together could then be in different copies.
    if (!ordered && is_amd(function.target))
        ordered = order_blocks(function, with_single_entries(explored.value()));
    if (!ordered) return ordered.as_failure();
    return std::move(ordered).value().graph;
}

Result<OrderedBlocks> order_blocks(const Function& function,
                                   const std::vector<ExploredBlock>& blocks) {
    OrderedBlocks ordered;
    ordered.explored = reverse_post_order(blocks);
    add_blocks(function, blocks, ordered.explored, ordered.graph);
    add_dominators(ordered.graph);
    number_dominator_tree(ordered.graph);
    if (auto loops = add_loops(function, ordered.graph); !loops) return loops.as_failure();
    return ordered;
}

std::string to_dot(const Function& function, const ControlFlowGraph& graph) {
    std::string name;
    for (const char c : function.name) {
        if (c == '"' || c == '\\') name += '\\';
        name += c;
    }
    std::string out = "digraph \"" + name + "\" {\n  node [shape=box, fontname=monospace];\n";
    std::vector<bool> header(graph.blocks.size(), false);
    for (const auto& loop : graph.loops)
        header[loop.header] = true;
    for (std::size_t i = 0; i < graph.blocks.size(); ++i) {
        const auto& block = graph.blocks[i];
        out += fmt::format("  b{} [label=\"0x{:04x}\\n{} instructions{}{}\"];\n", i, block.address,
                           block.last - block.first + 1, header[i] ? "\\nloop header" : "",
                           block.exits ? "\\nexit" : "");
    }
    for (const auto& edge : graph.edges)
        out += fmt::format("  b{} -> b{} [label=\"{}\"];\n", edge.from, edge.to,
                           edge.kind == EdgeKind::Taken ? "taken" : "");
    return out + "}\n";
}

} // namespace warpbound::assembly
