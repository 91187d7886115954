#include "analyzer/path/contraction.hpp"

#include "assembly/support/stop_token.hpp"

#include <utility>

namespace warpbound::analyzer {

Contraction::Contraction(const assembly::ControlFlowGraph& graph, const PathGraph& paths,
                         const LoopBoundedPaths& structural, const std::set<std::int64_t>& kept,
                         Side side)
    : graph_{graph}, paths_{paths}, structural_{structural}, side_{side}, end_{paths.nodes.next()},
      loop_kept_(graph.loops.size(), false), block_kept_(graph.blocks.size(), false),
      out_(paths.nodes.size() + 1), in_(paths.nodes.size() + 1) {
    mark_kept(kept);
    link_all();
    PerBlock<std::vector<NodeIndex>> nodes_of(graph.blocks.size());
    for (const NodeIndex node : paths.nodes.indices())
        if (node != start_node && !block_kept_[paths.nodes[node].block] && !in_[node].empty())
            nodes_of[paths.nodes[node].block].push_back(node);
    for (bool removed = true; removed;) {
        removed = false;
        for (auto& nodes : nodes_of) {
            check_stop("the paths that keep the flow facts");
            if (nodes.empty() || !remove_block(nodes)) continue;
            nodes.clear();
            removed = true;
        }
    }
    renumber();
}

/// Kept are the blocks that facts mention, the entry, and the headers of the loops around them.
void Contraction::mark_kept(const std::set<std::int64_t>& kept) {
    for (const BlockIndex block : all_blocks(graph_)) {
        if (block != paths_.nodes[start_node].block &&
            kept.count(block_at(graph_, block).address) == 0)
            continue;
        block_kept_[block] = true;
        for (auto loop = innermost_loop_of(graph_, block); loop;
             loop = graph_.loops[*loop].parent) {
            loop_kept_[*loop] = true;
            block_kept_[header_block(graph_.loops[*loop])] = true;
        }
    }
}

void Contraction::link(NodeIndex from, NodeIndex to, const Link& link) {
    const auto [position, inserted] = out_[from].emplace(to, link);
    in_[to].insert(from);
    const bool better = side_ == Side::Upper ? link.cost > position->second.cost
                                             : link.cost < position->second.cost;
    if (!inserted && better) position->second = link;
}

/// The outermost loop around the node that is contracted: no fact mentions a block of it.
std::optional<std::size_t> Contraction::contracted_loop(NodeIndex node) const {
    std::optional<std::size_t> outermost;
    for (auto loop = innermost_loop_of(graph_, paths_.nodes[node].block);
         loop && !loop_kept_[*loop]; loop = graph_.loops[*loop].parent)
        outermost = loop;
    return outermost;
}

void Contraction::link_all() {
    for (const NodeIndex node : paths_.nodes.indices()) {
        const auto outermost = contracted_loop(node);
        if (!outermost) {
            for (const PathEdge& edge : paths_.nodes[node].successors)
                link(node, edge.to, {edge.cost, no_via});
            if (paths_.nodes[node].end_cost)
                link(node, end_, {*paths_.nodes[node].end_cost, no_via});
            continue;
        }
        if (header_block(graph_.loops[*outermost]) != paths_.nodes[node].block) continue;
        const LoopBoundedPaths::Traversal traversal = structural_.traversal_from(node);
        const auto leave = [&](NodeIndex to, std::int64_t cost, std::optional<NodeIndex> exit) {
            link(node, to, {cost, vias_.push_back({no_via, node, no_via, true, exit})});
        };
        for (const PathEdge& exit : traversal.exits)
            leave(exit.to, exit.cost, exit.to);
        if (traversal.end_cost) leave(end_, *traversal.end_cost, std::nullopt);
    }
}

/// Links what comes before a block with what comes after it, unless that takes more links.
bool Contraction::remove_block(const std::vector<NodeIndex>& nodes) {
    std::set<NodeIndex> before;
    std::set<NodeIndex> after;
    std::size_t links = 0;
    for (const NodeIndex node : nodes) {
        before.insert(in_[node].begin(), in_[node].end());
        links += in_[node].size() + out_[node].size();
        for (const auto& [to, link] : out_[node])
            after.insert(to);
    }
    if (before.size() * after.size() > links) return false;
    for (const NodeIndex node : nodes) {
        for (const NodeIndex from : in_[node]) {
            const Link into = out_[from].at(node);
            for (const auto& [to, out] : out_[node]) {
                const ViaIndex via =
                    vias_.push_back({into.via, node, out.via, false, std::nullopt});
                link(from, to,
                     {(models::Cycles{into.cost} + models::Cycles{out.cost}).count(), via});
            }
        }
        for (const NodeIndex from : in_[node])
            out_[from].erase(node);
        for (const auto& [to, out] : out_[node])
            in_[to].erase(node);
        in_[node].clear();
        out_[node].clear();
    }
    return true;
}

/// Numbers the remaining nodes in the original order.
void Contraction::renumber() {
    PerNode<std::optional<NodeIndex>> number(paths_.nodes.size());
    for (const NodeIndex node : paths_.nodes.indices()) {
        if (node != start_node && (in_[node].empty() || out_[node].empty())) continue;
        number[node] = original_.push_back(node);
    }
    for (const NodeIndex node : original_) {
        PathNode contracted{paths_.nodes[node].block, std::nullopt, {}};
        for (const auto& [to, link] : out_[node])
            if (to == end_)
                contracted.end_cost = link.cost;
            else if (number[to])
                contracted.successors.push_back({*number[to], link.cost});
        contracted_.nodes.push_back(std::move(contracted));
    }
    contracted_.exact = paths_.exact;
}

/// Of a contracted loop nothing: its traversal, which follows the header, begins with the header.
void Contraction::append_node(PathRule& rule, NodeIndex node) const {
    if (!contracted_loop(node)) rule.emplace_back(paths_.nodes[node].block);
}

void Contraction::append(BlockPath& path, PathRule& rule, ViaIndex index) const {
    if (index == no_via) return;
    const Via& via = vias_[index];
    if (via.traversal) {
        rule.emplace_back(structural_.append_traversal(path, via.node, via.exit));
        return;
    }
    append(path, rule, via.first);
    append_node(rule, via.node);
    append(path, rule, via.second);
}

BlockPath Contraction::expand(const std::vector<NodeIndex>& nodes) const {
    BlockPath path;
    PathRule rule;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        append_node(rule, original_[nodes[i]]);
        const NodeIndex to = i + 1 < nodes.size() ? original_[nodes[i + 1]] : end_;
        append(path, rule, out_[original_[nodes[i]]].at(to).via);
    }
    path.rules.push_back(std::move(rule));
    return path;
}

} // namespace warpbound::analyzer
