#include "analyzer/state_graph.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr int changes_before_widening = 4096;

class Builder {
public:
    Builder(const assembly::ControlFlowGraph& graph, const Pipeline& pipeline,
            const std::vector<bool>& skip, std::size_t states_per_block)
        : graph_{graph}, pipeline_{pipeline}, skip_{skip}, limit_{std::max<std::size_t>(
                                                               1, states_per_block)},
          of_block_(graph.blocks.size()) {}

    StateGraph run() {
        enter(0, pipeline_.start());
        while (!work_.empty()) {
            const std::size_t node = work_.front();
            work_.pop_front();
            queued_[node] = false;
            evaluate(node);
        }
        return prune();
    }

private:
    /// The node of a block in a state: the same one again, a new one, or the block's last one with
    /// the state joined in.
    std::size_t enter(std::size_t block, PipelineState state) {
        auto& nodes = of_block_[block];
        const auto known = index_.find({block, state});
        if (known != index_.end()) return known->second;
        if (nodes.size() < limit_) {
            const std::size_t node = result_.nodes.size();
            index_.emplace(std::make_pair(block, state), node);
            StateNode fresh;
            fresh.block = block;
            fresh.entry = std::move(state);
            result_.nodes.push_back(std::move(fresh));
            changes_.push_back(0);
            queued_.push_back(true);
            work_.push_back(node);
            nodes.push_back(node);
            return node;
        }
        const std::size_t nearest = nearest_node(nodes, state);
        StateNode& node = result_.nodes[nearest];
        result_.exact = false;
        PipelineState joined = node.entry;
        pipeline_.join(joined, state);
        if (joined == node.entry) return nearest;
        index_.erase({block, node.entry});
        if (++changes_[nearest] > changes_before_widening) joined = pipeline_.top();
        node.entry = std::move(joined);
        index_.emplace(std::make_pair(block, node.entry), nearest);
        if (!queued_[nearest]) {
            queued_[nearest] = true;
            work_.push_back(nearest);
        }
        return nearest;
    }

    /// The node whose state differs least: joining it loses least.
    [[nodiscard]] std::size_t nearest_node(const std::vector<std::size_t>& nodes,
                                           const PipelineState& state) const {
        std::size_t nearest = nodes.front();
        std::int64_t least = INT64_MAX;
        for (const std::size_t node : nodes) {
            const PipelineState& entry = result_.nodes[node].entry;
            std::int64_t difference = 0;
            for (std::size_t i = 0; i < entry.size() && difference < least; ++i)
                difference += entry[i] < state[i] ? state[i] - entry[i] : entry[i] - state[i];
            if (difference < least) {
                least = difference;
                nearest = node;
            }
        }
        return nearest;
    }

    void evaluate(std::size_t index) {
        const std::size_t block = result_.nodes[index].block;
        const auto& code = graph_.blocks[block];
        PipelineState state = result_.nodes[index].entry;
        models::Cycles cost{0};
        for (std::size_t i = code.first; i <= code.last; ++i) {
            cost += models::Cycles{pipeline_.advance(state, i).cycles};
            if (i < code.last) pipeline_.leave(state, i, false);
        }
        std::vector<std::size_t> successors;
        for (const std::size_t edge : code.out) {
            const assembly::Edge& taken = graph_.edges[edge];
            if (skip_[taken.to]) continue;
            PipelineState next = state;
            pipeline_.leave(next, code.last, taken.kind == assembly::EdgeKind::Taken);
            successors.push_back(enter(taken.to, std::move(next)));
        }
        StateNode& node = result_.nodes[index];
        node.cost = cost.count();
        node.end_cost = code.exits ? std::optional{pipeline_.completion(state)} : std::nullopt;
        node.successors = std::move(successors);
    }

    /// Keeps what the entry reaches, ordered by block.
    StateGraph prune() {
        auto& nodes = result_.nodes;
        std::vector<bool> reached(nodes.size(), false);
        std::vector<std::size_t> order{0};
        reached[0] = true;
        for (std::size_t i = 0; i < order.size(); ++i)
            for (const std::size_t next : nodes[order[i]].successors)
                if (!reached[next]) {
                    reached[next] = true;
                    order.push_back(next);
                }
        std::stable_sort(order.begin() + 1, order.end(), [&](std::size_t a, std::size_t b) {
            return nodes[a].block < nodes[b].block;
        });
        std::vector<std::size_t> position(nodes.size(), 0);
        for (std::size_t i = 0; i < order.size(); ++i)
            position[order[i]] = i;
        StateGraph pruned;
        pruned.exact = result_.exact;
        for (const std::size_t old : order) {
            StateNode node = std::move(nodes[old]);
            for (auto& next : node.successors)
                next = position[next];
            std::sort(node.successors.begin(), node.successors.end());
            node.successors.erase(std::unique(node.successors.begin(), node.successors.end()),
                                  node.successors.end());
            pruned.nodes.push_back(std::move(node));
        }
        return pruned;
    }

    const assembly::ControlFlowGraph& graph_;
    const Pipeline& pipeline_;
    const std::vector<bool>& skip_;
    std::size_t limit_;
    StateGraph result_;
    std::vector<std::vector<std::size_t>> of_block_;
    std::map<std::pair<std::size_t, PipelineState>, std::size_t> index_;
    std::vector<int> changes_;
    std::vector<bool> queued_;
    std::deque<std::size_t> work_;
};

} // namespace

StateGraph build_state_graph(const assembly::ControlFlowGraph& graph, const Pipeline& pipeline,
                             const std::vector<bool>& skip, std::size_t states_per_block) {
    return Builder{graph, pipeline, skip, states_per_block}.run();
}

std::vector<IssueStep> steps_of(const assembly::BasicBlock& block, const StateNode& node,
                                const Pipeline& pipeline) {
    std::vector<IssueStep> steps;
    PipelineState state = node.entry;
    for (std::size_t i = block.first; i <= block.last; ++i) {
        steps.push_back(pipeline.advance(state, i));
        if (i < block.last) pipeline.leave(state, i, false);
    }
    return steps;
}

} // namespace warpbound::analyzer
