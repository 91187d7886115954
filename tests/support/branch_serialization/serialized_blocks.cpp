#include "tests/support/branch_serialization/serialized_blocks.hpp"

#include "assembly/flow/block_exploration.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

SerializedBlocks::SerializedBlocks(const AnalysisContext& context,
                                   const Reconvergence& reconvergence)
    : context_{context}, graph_{*context.request.graph}, reconvergence_{reconvergence} {
    for (std::size_t block = 0; block < graph_.blocks.size(); ++block) {
        Node node{block, {}};
        for (const std::size_t edge : graph_.blocks[block].out)
            if (!is_never_executed(edge)) node.successors.push_back({graph_.edges[edge].to, edge});
        nodes_.push_back(std::move(node));
        of_block_.push_back({block});
    }
}

SerializedBlocks::Reached SerializedBlocks::reached_by(std::size_t branch_node,
                                                       const DivergentBranch& branch) const {
    Reached reached;
    std::vector<std::size_t> work;
    const auto follow = [&](std::size_t from) {
        for (const Node::Successor& successor : nodes_[from].successors) {
            const std::size_t to = nodes_[successor.to].original;
            if (successor.edge && to == branch.reconvergence) reached.reconvergence = successor.to;
            if (!remains_in_region(from, successor, branch)) continue;
            if (reached.inside.insert(successor.to).second) work.push_back(successor.to);
        }
    };
    follow(branch_node);
    while (!work.empty()) {
        check_stop("the serialized control-flow graph");
        const std::size_t from = work.back();
        work.pop_back();
        follow(from);
    }
    return reached;
}

SerializedBlocks::Set SerializedBlocks::reached_from(std::size_t start,
                                                     const DivergentBranch& branch) const {
    Set reached{start};
    std::vector<std::size_t> work{start};
    while (!work.empty()) {
        check_stop("the serialized control-flow graph");
        const std::size_t from = work.back();
        work.pop_back();
        for (const Node::Successor& successor : nodes_[from].successors)
            if (remains_in_region(from, successor, branch) && reached.insert(successor.to).second)
                work.push_back(successor.to);
    }
    return reached;
}

bool SerializedBlocks::remains_in_region(std::size_t node, const Node::Successor& successor,
                                         const DivergentBranch& branch) const {
    return is_after_break(node, branch) || is_after_break(successor.to, branch) ||
           (successor.edge && !leaves_region(*successor.edge, branch));
}

bool SerializedBlocks::is_after_break(std::size_t node, const DivergentBranch& branch) const {
    return std::any_of(branch.break_edges.begin(), branch.break_edges.end(), [&](std::size_t edge) {
        return graph_.edges[edge].from == nodes_[node].exited_at;
    });
}

bool SerializedBlocks::has_break(std::size_t node, const DivergentBranch& branch) const {
    const auto& out = graph_.blocks[nodes_[node].original].out;
    return std::any_of(out.begin(), out.end(),
                       [&](std::size_t edge) { return branch.break_edges.count(edge) != 0; });
}

bool SerializedBlocks::is_never_executed(std::size_t edge) const {
    return context_.facts.never[graph_.edges[edge].to];
}

bool SerializedBlocks::leaves_region(std::size_t edge, const DivergentBranch& branch) const {
    const std::size_t to = graph_.edges[edge].to;
    return !is_never_executed(edge) && (to == branch.reconvergence || branch.region.count(to) == 0);
}

bool SerializedBlocks::ends_path(std::size_t node, const DivergentBranch& branch) const {
    if (is_after_break(node, branch)) return false;
    const auto& block = graph_.blocks[nodes_[node].original];
    return block.exits || std::any_of(block.out.begin(), block.out.end(), [&](auto edge) {
               return leaves_region(edge, branch) && branch.break_edges.count(edge) == 0;
           });
}

bool SerializedBlocks::arrives_at_inner_point(std::size_t node,
                                              const DivergentBranch& branch) const {
    const auto& out = graph_.blocks[nodes_[node].original].out;
    return branch.inner_point && std::any_of(out.begin(), out.end(), [&](std::size_t edge) {
               return branch.inner_point->arrivals.count(edge) != 0;
           });
}

bool SerializedBlocks::misses_reconvergence(std::size_t node, const DivergentBranch& branch) const {
    const auto& block = graph_.blocks[nodes_[node].original];
    return block.exits || std::any_of(block.out.begin(), block.out.end(), [&](auto edge) {
               return leaves_region(edge, branch) &&
                      graph_.edges[edge].to != branch.reconvergence &&
                      branch.break_edges.count(edge) == 0;
           });
}

void SerializedBlocks::add_successor(std::size_t from, std::size_t to) {
    const Node::Successor added{to, std::nullopt};
    auto& successors = nodes_[from].successors;
    if (std::find(successors.begin(), successors.end(), added) == successors.end())
        successors.push_back(added);
}

std::size_t SerializedBlocks::duplicate(std::size_t node) {
    check_stop("the serialized control-flow graph");
    nodes_.push_back(nodes_[node]);
    of_block_[nodes_[node].original].push_back(nodes_.size() - 1);
    return nodes_.size() - 1;
}

SerializedBlocks::Duplicates SerializedBlocks::duplicate_all(const Set& of,
                                                             const DivergentBranch& branch) {
    Duplicates duplicates;
    for (const std::size_t node : of)
        duplicates[node] = duplicate(node);
    for (const auto& [node, added] : duplicates)
        for (Node::Successor& successor : nodes_[added].successors)
            if (remains_in_region(node, successor, branch))
                successor.to = duplicates.at(successor.to);
    return duplicates;
}

SerializedBlocks::Set SerializedBlocks::values_of(const Duplicates& duplicates) {
    Set values;
    for (const auto& [node, added] : duplicates)
        values.insert(added);
    return values;
}

std::vector<std::size_t>
SerializedBlocks::duplicate_after_inner_point(const Reached& reached,
                                              const DivergentBranch& branch) {
    if (!branch.inner_point || !branch.inner_point->after) return {};
    Set after;
    std::vector<std::size_t> starts;
    for (const std::size_t node : reached.inside) {
        if (nodes_[node].original != branch.inner_point->after) continue;
        starts.push_back(node);
        after.merge(reached_from(node, branch));
    }
    const Duplicates resumed = duplicate_all(after, branch);
    resume_at_reconvergence(values_of(resumed), branch, reached.reconvergence);
    for (std::size_t& start : starts)
        start = resumed.at(start);
    return starts;
}

void SerializedBlocks::resume_at_reconvergence(const Set& path, const DivergentBranch& branch,
                                               std::optional<std::size_t> reconvergence) {
    for (const std::size_t node : path)
        if (reconvergence && ends_path(node, branch) && misses_reconvergence(node, branch))
            add_successor(node, *reconvergence);
}

void SerializedBlocks::resume_after_inner_point(const Set& path, const DivergentBranch& branch,
                                                const std::vector<std::size_t>& resumed) {
    for (const std::size_t node : path)
        if (ends_path(node, branch))
            for (const std::size_t start : resumed)
                add_successor(node, start);
}

Result<SerializedCfg> SerializedBlocks::in_reverse_postorder() const {
    std::vector<assembly::ExploredBlock> blocks;
    for (const Node& node : nodes_) {
        const auto& code = graph_.blocks[node.original];
        assembly::ExploredBlock block{code.first, code.last, code.exits, code.context, {}};
        for (const Node::Successor& successor : node.successors) {
            // After an arrival the next instruction does not follow for all lanes.
            const bool falls =
                successor.edge &&
                graph_.edges[*successor.edge].kind == assembly::EdgeKind::FallThrough &&
                reconvergence_.arrivals.count(*successor.edge) == 0;
            block.successors.push_back({successor.to, !falls});
        }
        blocks.push_back(std::move(block));
    }
    auto ordered = assembly::order_blocks(*context_.request.function, blocks);
    if (!ordered)
        return Failure{"the serialized control-flow graph of the divergent lanes is not bounded: " +
                           ordered.error().what,
                       context_.request.function->name};
    std::vector<bool> is_converged(graph_.blocks.size(), true);
    for (const DivergentBranch& branch : reconvergence_.divergent_branches)
        for (const std::size_t block : branch.non_uniform)
            is_converged[block] = false;
    SerializedCfg cfg;
    cfg.graph = std::move(ordered.value().graph);
    for (const std::size_t given : ordered.value().explored) {
        const std::size_t original = nodes_[given].original;
        cfg.original.push_back(original);
        cfg.repeated.push_back(nodes_[given].repeated);
        cfg.converged.push_back(is_converged[original]);
    }
    return cfg;
}

} // namespace warpbound::analyzer
