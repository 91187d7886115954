#include "analyzer/barrier_parts.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// Blocks that lie behind an edge out of `from`. `Shape:` reached[block].
std::vector<bool> reached_from(const Problem& problem, std::size_t from) {
    const assembly::ControlFlowGraph& graph = *problem.request.graph;
    std::vector<bool> reached(graph.blocks.size(), false);
    std::vector<std::size_t> work{from};
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        for (const std::size_t edge : graph.blocks[block].out) {
            const std::size_t to = graph.edges[edge].to;
            if (reached[to] || problem.facts.never[to]) continue;
            reached[to] = true;
            work.push_back(to);
        }
    }
    return reached;
}

} // namespace

std::optional<BarrierParts> parts_between_barriers(const Problem& problem, std::int64_t barriers) {
    const auto& blocks = problem.request.graph->blocks;
    const auto is_barrier = [&](std::size_t i) {
        return problem.used[i] && problem.timings[i].value().is_barrier_wait;
    };
    BarrierParts parts;
    std::size_t found = 0;
    std::vector<std::size_t> before(blocks.size(), 0); // Barriers passed when a block is entered.
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (problem.facts.never[block]) continue;
        std::size_t here = 0;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            if (!is_barrier(i)) continue;
            const std::int64_t latency = problem.timings[i].value().latency.lo;
            parts.apart = found + here == 0 ? latency : std::min(parts.apart, latency);
            ++here;
        }
        if (here == 0) continue;
        found += here;
        const std::vector<bool> behind = reached_from(problem, block);
        if (behind[block]) return std::nullopt;
        for (std::size_t other = 0; other < blocks.size(); ++other)
            if (behind[other]) before[other] += here;
    }
    if (found != static_cast<std::size_t>(barriers)) return std::nullopt;
    parts.inside.assign(found + 1, std::vector<bool>(problem.used.size(), false));
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (problem.facts.never[block]) continue;
        std::size_t part = before[block];
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            parts.inside[part][i] = problem.used[i];
            if (is_barrier(i)) ++part;
        }
    }
    return parts;
}

} // namespace warpbound::analyzer
