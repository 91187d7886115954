#include "analyzer/divergence/serialized_facts.hpp"

#include <algorithm>
#include <map>

namespace warpbound::analyzer {

Request in_turn(const Request& request, const LanesInTurn& lanes) {
    Request serial = request;
    serial.graph = &lanes.graph;
    return serial;
}

Problem in_turn(const Problem& problem, const Request& request, const LanesInTurn& lanes) {
    const auto& graph = *problem.request.graph;
    Problem serial{request,
                   {},
                   problem.shape,
                   problem.timings,
                   problem.used,
                   problem.buffer_entries,
                   problem.buffer_drain,
                   problem.caches,
                   problem.touched,
                   problem.deadline};
    for (const std::size_t block : lanes.original)
        serial.facts.never.push_back(problem.facts.never[block]);
    for (const auto& loop : lanes.graph.loops) {
        BackEdgeBounds bound{0, lanes.repeated[loop.header].value_or(0)};
        const auto known =
            std::find_if(graph.loops.begin(), graph.loops.end(), [&](const assembly::Loop& other) {
                return other.header == lanes.original[loop.header];
            });
        if (known != graph.loops.end()) {
            const BackEdgeBounds& of_lane =
                problem.facts.loops[static_cast<std::size_t>(known - graph.loops.begin())];
            bound.max = std::max(bound.max, of_lane.max);
            if (lanes.together[loop.header]) bound.min = of_lane.min;
        }
        serial.facts.loops.push_back(bound);
    }
    serial.facts.in_use = problem.facts.in_use;
    serial.facts.in_use.exclusives.clear();
    serial.facts.in_use.constraints.clear();
    return serial;
}

Problem of_one_lane(const Problem& problem) {
    Problem lane = problem;
    for (auto& timing : lane.timings) {
        if (!timing) continue;
        auto& gap = timing.value().gap;
        auto& taken = timing.value().gap_taken;
        const std::int64_t shortest = std::min(gap.lo, taken.lo);
        gap.lo = shortest;
        taken.lo = shortest;
    }
    return lane;
}

void name_originals(SideResult& result, const LanesInTurn& lanes) {
    std::map<std::size_t, BlockContribution> blocks;
    for (const BlockContribution& part : result.blocks) {
        BlockContribution& whole = blocks[lanes.original[part.block]];
        whole.block = lanes.original[part.block];
        whole.count += part.count;
        whole.cycles += part.cycles;
    }
    result.blocks.clear();
    for (const auto& [block, whole] : blocks)
        result.blocks.push_back(whole);
    result.path.clear(); // No path of the kernel's graph.
}

} // namespace warpbound::analyzer
