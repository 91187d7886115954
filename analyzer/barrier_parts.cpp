#include "analyzer/barrier_parts.hpp"

#include "analyzer/common_barriers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

std::optional<BarrierParts> parts_between_barriers(const Problem& problem, std::int64_t barriers) {
    const auto& blocks = problem.request.graph->blocks;
    BarrierParts parts;
    std::size_t found = 0;
    std::vector<std::size_t> before(blocks.size(), 0); // Barriers passed when a block is entered.
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        if (problem.facts.never[block]) continue;
        std::size_t here = 0;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            if (!is_barrier(problem, i)) continue;
            const std::int64_t latency = problem.timings[i].value().latency.lo;
            parts.apart = found + here == 0 ? latency : std::min(parts.apart, latency);
            ++here;
        }
        if (here == 0) continue;
        found += here;
        const std::vector<bool> behind =
            assembly::blocks_behind(*problem.request.graph, block, [&](const assembly::Edge& edge) {
                return !problem.facts.never[edge.to];
            });
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
            if (is_barrier(problem, i)) ++part;
        }
    }
    return parts;
}

} // namespace warpbound::analyzer
