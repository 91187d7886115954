#include "analyzer/interference/barrier_intervals.hpp"

#include "analyzer/interference/barrier_alignment.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// Where a path is that pays in one part only.
enum Stage : std::size_t { Before, Inside, Behind, stages };

/// What a block costs that is entered and left so; none: it cannot be.
using StageCosts = std::array<std::array<std::optional<std::int64_t>, stages>, stages>;

/// `parts`: of the block's costs, from barrier to barrier, each in the part that it ends.
StageCosts stage_costs(const std::vector<std::int64_t>& parts) {
    StageCosts costs;
    costs[Before][Before] = 0;
    costs[Behind][Behind] = 0;
    if (parts.size() == 1) {
        costs[Inside][Inside] = parts.front();
        return costs;
    }
    costs[Inside][Behind] = parts.front();
    costs[Before][Inside] = parts.back();
    if (parts.size() > 2)
        costs[Before][Behind] = *std::max_element(parts.begin() + 1, parts.end() - 1);
    return costs;
}

} // namespace

std::optional<BarrierIntervals> barrier_intervals(const AnalysisContext& context,
                                                  std::int64_t barriers) {
    const auto& blocks = context.request.graph->blocks;
    BarrierIntervals parts;
    std::size_t found = 0;
    std::vector<std::size_t> before(blocks.size(), 0); // Barriers passed when a block is entered.
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (context.facts.never[block]) continue;
        std::size_t here = 0;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            if (!is_barrier(context, i)) continue;
            const std::int64_t latency = context.timings[i].value().latency.lo;
            parts.apart = found + here == 0 ? latency : std::min(parts.apart, latency);
            ++here;
        }
        if (here == 0) continue;
        found += here;
        const std::vector<bool> behind =
            assembly::blocks_behind(*context.request.graph, block, [&](const assembly::Edge& edge) {
                return !context.facts.never[edge.to];
            });
        if (behind[block]) return std::nullopt;
        for (std::size_t other = 0; other < blocks.size(); ++other)
            if (behind[other]) before[other] += here;
    }
    if (found != static_cast<std::size_t>(barriers)) return std::nullopt;
    parts.inside.assign(found + 1, std::vector<bool>(context.used.size(), false));
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (context.facts.never[block]) continue;
        std::size_t part = before[block];
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            parts.inside[part][i] = context.used[i];
            if (is_barrier(context, i)) ++part;
        }
    }
    return parts;
}

PathGraph barrier_interval_paths(const AnalysisContext& context,
                                 const std::vector<std::int64_t>& instruction_costs) {
    const auto& graph = *context.request.graph;
    PathGraph paths;
    // The start, where the first part may begin or not, then each block in all stages.
    const auto node_of = [](std::size_t block, std::size_t stage) {
        return 1 + block * stages + stage;
    };
    paths.nodes.resize(node_of(graph.blocks.size(), 0));
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        if (context.facts.never[block]) continue;
        std::vector<std::int64_t> parts;
        models::Cycles sum{0};
        for (std::size_t i = graph.blocks[block].first; i <= graph.blocks[block].last; ++i) {
            sum += models::Cycles{instruction_costs[i]};
            if (!is_barrier(context, i)) continue;
            parts.push_back(sum.count());
            sum = models::Cycles{0};
        }
        parts.push_back(sum.count());
        const StageCosts costs = stage_costs(parts);
        const auto leave = [&](PathNode& node, std::size_t stage) {
            node.block = block;
            for (std::size_t next = 0; next < stages; ++next) {
                const auto& cost = costs[stage][next];
                if (!cost) continue;
                if (graph.blocks[block].exits)
                    node.end_cost = std::max(node.end_cost.value_or(0), *cost);
                for (const std::size_t edge : graph.blocks[block].out)
                    if (!context.facts.never[graph.edges[edge].to])
                        node.successors.push_back({node_of(graph.edges[edge].to, next), *cost});
            }
        };
        for (std::size_t stage = 0; stage < stages; ++stage)
            leave(paths.nodes[node_of(block, stage)], stage);
        if (block != 0) continue;
        leave(paths.nodes.front(), Before);
        leave(paths.nodes.front(), Inside);
    }
    return tidy(std::move(paths), Side::Upper);
}

} // namespace warpbound::analyzer
