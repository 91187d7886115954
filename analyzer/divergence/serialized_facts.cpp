#include "analyzer/divergence/serialized_facts.hpp"

#include <algorithm>
#include <map>

namespace warpbound::analyzer {

Request in_turn(const Request& request, const LanesInTurn& lanes) {
    Request serial = request;
    serial.graph = &lanes.graph;
    return serial;
}

AnalysisContext in_turn(const AnalysisContext& context, const Request& request,
                        const LanesInTurn& lanes) {
    const auto& graph = *context.request.graph;
    AnalysisContext serial{request,
                           {},
                           context.shape,
                           context.timings,
                           context.used,
                           context.buffer_entries,
                           context.buffer_drain,
                           context.caches,
                           context.footprint,
                           context.deadline};
    for (const std::size_t block : lanes.original)
        serial.facts.never.push_back(context.facts.never[block]);
    for (const auto& loop : lanes.graph.loops) {
        BackEdgeBounds bound{0, lanes.repeated[loop.header].value_or(0)};
        const auto known =
            std::find_if(graph.loops.begin(), graph.loops.end(), [&](const assembly::Loop& other) {
                return other.header == lanes.original[loop.header];
            });
        if (known != graph.loops.end()) {
            const BackEdgeBounds& of_lane =
                context.facts.loops[static_cast<std::size_t>(known - graph.loops.begin())];
            bound.max = std::max(bound.max, of_lane.max);
            if (lanes.together[loop.header]) bound.min = of_lane.min;
        }
        serial.facts.loops.push_back(bound);
    }
    serial.facts.in_use = context.facts.in_use;
    serial.facts.in_use.exclusives.clear();
    serial.facts.in_use.constraints.clear();
    return serial;
}

AnalysisContext single_lane_context(const AnalysisContext& context) {
    AnalysisContext lane = context;
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

void map_to_original_blocks(SideResult& result, const LanesInTurn& lanes) {
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
