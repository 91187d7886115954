#include "analyzer/microarchitecture/delay_graph.hpp"

#include "assembly/support/stop_token.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

class DelayGraphBuilder {
public:
    DelayGraphBuilder(const assembly::ControlFlowGraph& graph, const PipelineModel& upper,
                      const Outstanding& outstanding, const PerBlock<bool>& skip,
                      std::size_t components_per_block, const Span& span,
                      const std::vector<std::int64_t>* demand = nullptr)
        : graph_{graph}, upper_{upper}, outstanding_{outstanding}, skip_{skip},
          limit_{components_per_block}, span_{span}, demand_{demand}, blocks_(graph.blocks.size()) {
    }

    PathGraph run() {
        result_.nodes.push_back({span_.block, std::nullopt, {}});
        for (const BlockIndex block : blocks_.indices())
            if (!skip_[block] && outstanding_.entries[block]) choose_components(block);
        start();
        for (const BlockIndex block : blocks_.indices())
            if (blocks_[block].nodes > 0) enter(block);
        return tidy(std::move(result_), Side::Upper);
    }

private:
    /// The nodes of a block.
    struct Entry {
        NodeIndex first_node;
        std::size_t nodes = 0;             ///< That of the gap, then one per followed component.
        std::vector<std::size_t> followed; ///< Components, latest first.
    };

    /// Follows the components that may be later than the gap, the latest ones first.
    void choose_components(BlockIndex block) {
        Entry& entry = blocks_[block];
        const auto& beyond = outstanding_.beyond_gap[block];
        for (std::size_t component = 0; component < beyond.size(); ++component)
            if (is_time(component) && beyond[component] > 0) entry.followed.push_back(component);
        if (entry.followed.size() > limit_) {
            std::stable_sort(entry.followed.begin(), entry.followed.end(),
                             [&](std::size_t a, std::size_t b) { return beyond[a] > beyond[b]; });
            entry.followed.resize(limit_);
            result_.exact = false;
        }
        entry.nodes = 1 + entry.followed.size();
        entry.first_node = result_.nodes.append(entry.nodes, {block, std::nullopt, {}});
    }

    static bool is_time(std::size_t component) {
        return component != PipelineModel::gap_component &&
               component != PipelineModel::gap_kind_component;
    }

    void start() {
        std::vector<Delays> components(upper_.size());
        for (std::size_t component = 0; component < components.size(); ++component)
            components[component] = {span_.state[component]};
        issue_block(span_.block, span_.next, start_node, std::move(components), {0});
    }

    void enter(BlockIndex block) {
        const Entry& entry = blocks_[block];
        const auto& beyond = outstanding_.beyond_gap[block];
        std::vector<Delays> components(upper_.size(), Delays(entry.nodes, none));
        for (std::size_t component = 0; component < components.size(); ++component)
            if (is_time(component) && beyond[component] > 0)
                components[component][0] = beyond[component];
        components[PipelineModel::gap_component][0] = 0;
        std::vector<std::int64_t> lead(entry.nodes, 0);
        for (std::size_t i = 0; i < entry.followed.size(); ++i) {
            Delays& component = components[entry.followed[i]];
            component[0] = none;
            component[i + 1] = 0;
            lead[i + 1] = beyond[entry.followed[i]];
        }
        issue_block(block, block_at(graph_, block).first, entry.first_node, std::move(components),
                    lead);
    }

    /// `lead[i]`: by how much the time of node `first_node` + i is at most later than that of node
    /// `first_node`.
    void issue_block(BlockIndex block, std::size_t next, NodeIndex first_node,
                     std::vector<Delays> components, const std::vector<std::int64_t>& lead) {
        check_stop("the delays of the pipeline");
        const auto& code = block_at(graph_, block);
        const bool stops = span_.stop && span_.stop->block == block;
        const std::size_t last = stops ? span_.stop->instruction : code.last;
        // If nothing is left to issue, the paths only continue.
        Delays issue(lead.size(), none);
        issue[0] = 0;
        Delays end(lead.size(), none); // Of the latest end in this block.
        models::Cycles spent{0};       // Demand of what was issued in this block.
        for (std::size_t i = next; i <= last; ++i) {
            issue = upper_.advance(components, i);
            if (demand_ != nullptr) {
                keep_later(end, issue, spent);
                spent += models::Cycles{(*demand_)[i]};
            }
            if (i < last) upper_.leave(components, i, false, issue);
        }
        if (stops) end = issue;
        if (code.exits && !span_.stop) keep_later(end, upper_.completion(components, issue), spent);
        for (std::size_t i = 0; i < lead.size(); ++i)
            if (is_relevant(end, i, lead)) node_at(first_node, i).end_cost = end[i];
        if (stops) return;
        for (const std::size_t index : code.out) {
            const assembly::Edge& edge = graph_.edges[index];
            const Entry& entry = blocks_[to_block(edge)];
            if (skip_[to_block(edge)] || entry.nodes == 0) continue;
            upper_.leave(components, code.last, edge.kind == assembly::EdgeKind::Taken, issue);
            const auto connect_to = [&](std::size_t component, NodeIndex to) {
                connect(first_node, less(components[component], spent), to, lead);
            };
            connect_to(PipelineModel::gap_component, entry.first_node);
            for (std::size_t i = 0; i < entry.followed.size(); ++i)
                connect_to(entry.followed[i], after(entry.first_node, 1 + i));
        }
    }

    /// The node so many behind the first one of a block.
    static NodeIndex after(NodeIndex first, std::size_t number) {
        return NodeIndex{first.value() + number};
    }
    PathNode& node_at(NodeIndex first, std::size_t number) {
        return result_.nodes[after(first, number)];
    }

    void connect(NodeIndex first_node, const Delays& delays, NodeIndex to,
                 const std::vector<std::int64_t>& lead) {
        for (std::size_t i = 0; i < delays.size(); ++i)
            if (is_relevant(delays, i, lead))
                node_at(first_node, i).successors.push_back({to, delays[i]});
    }

    static Delays less(Delays delays, models::Cycles spent) {
        for (std::int64_t& delay : delays)
            if (delay != none) delay = (models::Cycles{delay} - spent).count();
        return delays;
    }

    /// `end` becomes the later of itself and of `delays`, less what was spent before.
    static void keep_later(Delays& end, const Delays& delays, models::Cycles spent) {
        const Delays reduced = less(delays, spent);
        for (std::size_t i = 0; i < end.size(); ++i)
            end[i] = std::max(end[i], reduced[i]);
    }

    /// A delay that is never above the one from the gap can be left out.
    static bool is_relevant(const Delays& delays, std::size_t i,
                            const std::vector<std::int64_t>& lead) {
        if (delays[i] == none) return false;
        return i == 0 || delays[0] == none || delays[i] + lead[i] > delays[0];
    }

    const assembly::ControlFlowGraph& graph_;
    const PipelineModel& upper_;
    const Outstanding& outstanding_;
    const PerBlock<bool>& skip_;
    std::size_t limit_;
    const Span& span_;
    const std::vector<std::int64_t>* demand_; ///< Null: paths end where the span does.
    PathGraph result_;
    PerBlock<Entry> blocks_;
};

} // namespace

PathGraph build_delay_graph(const assembly::ControlFlowGraph& graph, const PipelineModel& upper,
                            const Outstanding& outstanding, const PerBlock<bool>& skip,
                            std::size_t components_per_block, const Span& span) {
    return DelayGraphBuilder{graph, upper, outstanding, skip, components_per_block, span}.run();
}

PathGraph build_prefix_delay_graph(const assembly::ControlFlowGraph& graph,
                                   const PipelineModel& upper, const Outstanding& outstanding,
                                   const PerBlock<bool>& skip, std::size_t components_per_block,
                                   const Span& span, const std::vector<std::int64_t>& demand) {
    return DelayGraphBuilder{graph, upper, outstanding, skip, components_per_block, span, &demand}
        .run();
}

} // namespace warpbound::analyzer
