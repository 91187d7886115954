#include "analyzer/interference/barrier_intervals.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// Position of a path relative to the one interval whose costs count.
enum Stage : std::size_t { Before, Within, After, stages };

/// Cost of a block by the stages at its entry and exit; none: impossible.
using StageCosts = std::array<std::array<std::optional<std::int64_t>, stages>, stages>;

/// `section_costs`: of the sections of the block between its barriers; each ends one interval.
StageCosts stage_costs(const std::vector<std::int64_t>& section_costs) {
    StageCosts costs;
    costs[Before][Before] = 0;
    costs[After][After] = 0;
    if (section_costs.size() == 1) {
        costs[Within][Within] = section_costs.front();
        return costs;
    }
    costs[Within][After] = section_costs.front();
    costs[Before][Within] = section_costs.back();
    if (section_costs.size() > 2)
        costs[Before][After] =
            *std::max_element(section_costs.begin() + 1, section_costs.end() - 1);
    return costs;
}

/// Costs of the block between its barriers. Of guarded barriers those count that are passed where
/// the branch at the end of the block is taken, or is not.
std::vector<std::int64_t> section_costs(const TimedKernel& kernel, BlockIndex block, bool taken,
                                        const std::vector<std::int64_t>& instruction_costs) {
    const assembly::BasicBlock& code = block_at(*kernel.graph, block);
    std::vector<std::int64_t> costs;
    models::Cycles sum{0};
    for (std::size_t i = code.first; i <= code.last; ++i) {
        sum += models::Cycles{instruction_costs[i]};
        if (!is_barrier(kernel, i) ||
            assembly::barrier_if_taken(*kernel.function, i, code.last).value_or(taken) != taken)
            continue;
        costs.push_back(sum.count());
        sum = models::Cycles{0};
    }
    costs.push_back(sum.count());
    return costs;
}

} // namespace

std::optional<BarrierIntervals>
barrier_intervals(const TimedKernel& kernel, const LaunchGeometry& shape, std::int64_t barriers) {
    // A path that leaves a barrier out has other intervals.
    if (const auto passed = barriers_of_block(kernel, shape);
        !passed || !passed.value().on_all_paths)
        return std::nullopt;
    const auto& blocks = kernel.graph->blocks;
    BarrierIntervals intervals;
    std::size_t found = 0;
    PerBlock<std::size_t> before(blocks.size(), 0); // Barriers executed before a block is entered.
    for (const BlockIndex block : before.indices()) {
        if (kernel.facts.never[block]) continue;
        const assembly::BasicBlock& code = block_at(*kernel.graph, block);
        std::size_t in_block = 0;
        for (std::size_t i = code.first; i <= code.last; ++i) {
            if (!is_barrier(kernel, i)) continue;
            const std::int64_t latency = kernel.timings[i].value().latency.lo;
            intervals.least_barrier_latency =
                found + in_block == 0 ? latency
                                      : std::min(intervals.least_barrier_latency, latency);
            ++in_block;
        }
        check_stop("the barrier intervals");
        if (in_block == 0) continue;
        found += in_block;
        const PerBlock<bool> after{assembly::blocks_reachable_from(
            *kernel.graph, block.value(),
            [&](const assembly::Edge& edge) { return !kernel.facts.never[to_block(edge)]; })};
        if (after[block]) return std::nullopt;
        for (const BlockIndex other : after.indices())
            if (after[other]) before[other] += in_block;
    }
    if (found != static_cast<std::size_t>(barriers)) return std::nullopt;
    intervals.executes.assign(found + 1, std::vector<bool>(kernel.used.size(), false));
    for (const BlockIndex block : before.indices()) {
        if (kernel.facts.never[block]) continue;
        const assembly::BasicBlock& code = block_at(*kernel.graph, block);
        std::size_t interval = before[block];
        for (std::size_t i = code.first; i <= code.last; ++i) {
            intervals.executes[interval][i] = kernel.used[i];
            if (is_barrier(kernel, i)) ++interval;
        }
    }
    return intervals;
}

PathGraph barrier_interval_paths(const TimedKernel& kernel,
                                 const std::vector<std::int64_t>& instruction_costs) {
    const auto& graph = *kernel.graph;
    PathGraph paths;
    // The start, where the first interval may begin or not, then each block in all stages.
    const auto node_of = [](BlockIndex block, std::size_t stage) {
        return NodeIndex{1 + block.value() * stages + stage};
    };
    paths.nodes.resize(1 + graph.blocks.size() * stages);
    for (const BlockIndex block : all_blocks(graph)) {
        if (kernel.facts.never[block]) continue;
        const assembly::BasicBlock& code = block_at(graph, block);
        const StageCosts if_taken =
            stage_costs(section_costs(kernel, block, true, instruction_costs));
        const StageCosts if_not =
            stage_costs(section_costs(kernel, block, false, instruction_costs));
        const auto add_exits = [&](PathNode& node, std::size_t stage) {
            node.block = block;
            for (std::size_t next = 0; next < stages; ++next) {
                if (const auto& cost = if_not[stage][next]; cost && code.exits)
                    node.end_cost = std::max(node.end_cost.value_or(0), *cost);
                for (const std::size_t index : code.out) {
                    const assembly::Edge& edge = graph.edges[index];
                    const StageCosts& costs =
                        edge.kind == assembly::EdgeKind::Taken ? if_taken : if_not;
                    if (costs[stage][next] && !kernel.facts.never[to_block(edge)])
                        node.successors.push_back(
                            {node_of(to_block(edge), next), *costs[stage][next]});
                }
            }
        };
        for (std::size_t stage = 0; stage < stages; ++stage)
            add_exits(paths.nodes[node_of(block, stage)], stage);
        if (block != assembly::entry_block) continue;
        add_exits(paths.nodes[start_node], Before);
        add_exits(paths.nodes[start_node], Within);
    }
    return tidy(std::move(paths), Side::Upper);
}

} // namespace warpbound::analyzer
