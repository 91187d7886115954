#include "analyzer/divergence/serialized_facts.hpp"

#include <algorithm>
#include <map>

namespace warpbound::analyzer {

TimedKernel serialized_kernel(const TimedKernel& kernel, const SerializedCfg& cfg) {
    const auto& graph = *kernel.graph;
    TimedKernel result = kernel;
    result.graph = &cfg.graph;
    result.lanes_diverge = true;
    result.facts = {};
    for (const BlockIndex block : cfg.original)
        result.facts.never.push_back(kernel.facts.never[block]);
    for (const auto& loop : cfg.graph.loops) {
        const SerializedNode header = node_of_serialized(header_block(loop));
        BackEdgeBounds bound{0, cfg.repeated[header].value_or(0)};
        const auto known =
            std::find_if(graph.loops.begin(), graph.loops.end(), [&](const assembly::Loop& other) {
                return header_block(other) == cfg.original[header];
            });
        if (known != graph.loops.end()) {
            const BackEdgeBounds& lane_bounds =
                kernel.facts.loops[static_cast<std::size_t>(known - graph.loops.begin())];
            bound.max = std::max(bound.max, lane_bounds.max);
            if (cfg.converged[header]) bound.min = lane_bounds.min;
        }
        result.facts.loops.push_back(bound);
    }
    result.facts.in_use = kernel.facts.in_use;
    result.facts.in_use.exclusives.clear();
    result.facts.in_use.constraints.clear();
    result.facts.barriers = kernel.facts.barriers;
    return result;
}

TimedKernel single_lane_kernel(const TimedKernel& kernel) {
    TimedKernel lane = kernel;
    lane.lanes_diverge = true;
    for (auto& timing : lane.timings.own()) {
        if (!timing) continue;
        auto& gap = timing.value().gap;
        auto& taken = timing.value().gap_taken;
        const std::int64_t shortest = std::min(gap.lo, taken.lo);
        gap.lo = shortest;
        taken.lo = shortest;
    }
    return lane;
}

void map_to_original_blocks(SideResult& result, const SerializedCfg& cfg) {
    std::map<BlockIndex, BlockContribution> blocks;
    for (const BlockContribution& contribution : result.blocks) {
        const BlockIndex block = cfg.original[SerializedNode{contribution.block}];
        BlockContribution& sum = blocks[block];
        sum.block = block.value();
        sum.count += contribution.count;
        sum.cycles += contribution.cycles;
    }
    result.blocks.clear();
    for (const auto& [block, sum] : blocks)
        result.blocks.push_back(sum);
    result.path.clear(); // No path of the kernel's graph.
}

} // namespace warpbound::analyzer
