#include "analyzer/microarchitecture/state_graph.hpp"

#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr int state_changes_before_widening = 4096;

class StateGraphBuilder {
public:
    StateGraphBuilder(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
                      const PerBlock<bool>& skip, std::size_t states_per_block, const Span& span)
        : graph_{graph}, pipeline_{pipeline}, skip_{skip},
          limit_{std::max<std::size_t>(1, states_per_block)}, span_{span},
          of_block_(graph.blocks.size()) {}

    PathGraph run() {
        enter(span_.block, span_.state);
        while (!work_.empty()) {
            check_stop("the pipeline states");
            const NodeIndex node = work_.front();
            work_.pop_front();
            queued_[node] = false;
            evaluate(node);
        }
        return tidy(std::move(result_), pipeline_.side());
    }

private:
    /// The node of a block in a state: a known one, a new one, or the nearest one of the block,
    /// joined with the state.
    NodeIndex enter(BlockIndex block, PipelineState state) {
        auto& nodes = of_block_[block];
        const auto known = index_.find({block, state});
        if (known != index_.end()) return known->second;
        if (nodes.size() < limit_) {
            const NodeIndex node = result_.nodes.push_back({block, std::nullopt, {}});
            index_.emplace(std::make_pair(block, state), node);
            entries_.push_back(std::move(state));
            changes_.push_back(0);
            queued_.push_back(true);
            work_.push_back(node);
            nodes.push_back(node);
            return node;
        }
        const NodeIndex nearest = nearest_node(nodes, state);
        result_.exact = false;
        PipelineState joined = entries_[nearest];
        pipeline_.join(joined, state);
        if (joined == entries_[nearest]) return nearest;
        index_.erase({block, entries_[nearest]});
        if (++changes_[nearest] > state_changes_before_widening)
            pipeline_.join(joined, pipeline_.top());
        entries_[nearest] = std::move(joined);
        index_.emplace(std::make_pair(block, entries_[nearest]), nearest);
        if (!queued_[nearest]) {
            queued_[nearest] = true;
            work_.push_back(nearest);
        }
        return nearest;
    }

    /// The node whose state differs least: a join with it loses least precision.
    [[nodiscard]] NodeIndex nearest_node(const std::vector<NodeIndex>& nodes,
                                         const PipelineState& state) const {
        NodeIndex nearest = nodes.front();
        std::int64_t least = INT64_MAX;
        for (const NodeIndex node : nodes) {
            const PipelineState& entry = entries_[node];
            std::int64_t difference = 0;
            for (std::size_t i = 0; i < entry.size() && difference < least; ++i)
                if (__builtin_add_overflow(
                        difference, entry[i] < state[i] ? state[i] - entry[i] : entry[i] - state[i],
                        &difference))
                    difference = INT64_MAX;
            if (difference < least) {
                least = difference;
                nearest = node;
            }
        }
        return nearest;
    }

    void evaluate(NodeIndex index) {
        const BlockIndex block = result_.nodes[index].block;
        const auto& code = block_at(graph_, block);
        const bool stops = span_.stop && span_.stop->block == block;
        const std::size_t last = stops ? span_.stop->instruction : code.last;
        PipelineState state = entries_[index];
        models::Cycles cost{0};
        // The start is entered once: its block is in no loop, or the whole block is issued.
        for (std::size_t i = index == start_node ? span_.next : code.first; i <= last; ++i) {
            cost += models::Cycles{pipeline_.advance(state, i).cycles};
            if (i < last) pipeline_.leave(state, i, false);
        }
        PathNode& node = result_.nodes[index];
        node.successors.clear();
        if (stops) {
            node.end_cost = cost.count();
            return;
        }
        if (code.exits && !span_.stop) {
            const std::int64_t tail = span_.ends_at_exit ? 0 : pipeline_.completion(state);
            node.end_cost = (cost + models::Cycles{tail}).count();
        }
        std::vector<PathEdge> successors;
        for (const std::size_t edge : code.out) {
            const assembly::Edge& taken = graph_.edges[edge];
            if (skip_[to_block(taken)]) continue;
            PipelineState next = state;
            pipeline_.leave(next, code.last, taken.kind == assembly::EdgeKind::Taken);
            successors.push_back({enter(to_block(taken), std::move(next)), cost.count()});
        }
        result_.nodes[index].successors = std::move(successors);
    }

    const assembly::ControlFlowGraph& graph_;
    const PipelineModel& pipeline_;
    const PerBlock<bool>& skip_;
    std::size_t limit_;
    const Span& span_;
    PathGraph result_;
    PerNode<PipelineState> entries_;
    PerBlock<std::vector<NodeIndex>> of_block_;
    std::map<std::pair<BlockIndex, PipelineState>, NodeIndex> index_;
    PerNode<int> changes_;
    PerNode<bool> queued_;
    std::deque<NodeIndex> work_;
};

} // namespace

PathGraph build_state_graph(const assembly::ControlFlowGraph& graph, const PipelineModel& pipeline,
                            const PerBlock<bool>& skip, std::size_t states_per_block,
                            const Span& span) {
    return StateGraphBuilder{graph, pipeline, skip, states_per_block, span}.run();
}

} // namespace warpbound::analyzer
