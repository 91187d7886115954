#include "analyzer/interference/barrier_intervals.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <limits>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// Position of a path relative to the one interval whose costs count.
enum Stage : std::size_t { Before, Within, After, stages };

/// Cost of a block by the stages at its entry and exit; none: impossible.
template <std::size_t count>
using StageCosts = std::array<std::array<std::optional<std::int64_t>, count>, count>;

/// `section_costs`: of the sections of the block between its barriers; each ends one interval.
StageCosts<stages> stage_costs(const std::vector<std::int64_t>& section_costs) {
    StageCosts<stages> costs;
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

/// A stage in which a path may begin, and what that costs.
struct FirstStage {
    std::size_t stage = 0;
    std::int64_t cost = 0;
};

/// The start, then each block in all stages. `costs_of`: of a block, where the branch at its end is
/// taken, and where it is not. `least`: of the last block of a path.
template <std::size_t count, typename CostsOf>
PathGraph staged_paths(const TimedKernel& kernel, const CostsOf& costs_of,
                       std::initializer_list<FirstStage> first, std::int64_t least) {
    const auto& graph = *kernel.graph;
    PathGraph paths;
    const auto node_of = [](BlockIndex block, std::size_t stage) {
        return NodeIndex{1 + block.value() * count + stage};
    };
    paths.nodes.resize(1 + graph.blocks.size() * count);
    for (const BlockIndex block : all_blocks(graph)) {
        if (kernel.facts.never[block]) continue;
        const assembly::BasicBlock& code = block_at(graph, block);
        const StageCosts<count> if_taken = costs_of(block, true);
        const StageCosts<count> if_not = costs_of(block, false);
        const auto add_exits = [&](PathNode& node, const FirstStage& from) {
            node.block = block;
            const auto after = [&](std::int64_t cost) {
                return (models::Cycles{from.cost} + models::Cycles{cost}).count();
            };
            for (std::size_t next = 0; next < count; ++next) {
                if (const auto& cost = if_not[from.stage][next]; cost && code.exits)
                    node.end_cost = std::max(node.end_cost.value_or(least), after(*cost));
                for (const std::size_t index : code.out) {
                    const assembly::Edge& edge = graph.edges[index];
                    const StageCosts<count>& costs =
                        edge.kind == assembly::EdgeKind::Taken ? if_taken : if_not;
                    const auto& cost = costs[from.stage][next];
                    if (cost && !kernel.facts.never[to_block(edge)])
                        node.successors.push_back({node_of(to_block(edge), next), after(*cost)});
                }
            }
        };
        for (std::size_t stage = 0; stage < count; ++stage)
            add_exits(paths.nodes[node_of(block, stage)], {stage, 0});
        if (block != assembly::entry_block) continue;
        for (const FirstStage& stage : first)
            add_exits(paths.nodes[start_node], stage);
    }
    return tidy(std::move(paths), Side::Upper);
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
    // In the stage at the entry the first interval may begin or not.
    return staged_paths<stages>(
        kernel,
        [&](BlockIndex block, bool taken) {
            return stage_costs(section_costs(kernel, block, taken, instruction_costs));
        },
        {{Before, 0}, {Within, 0}}, 0);
}

PathGraph intervals_beyond(const TimedKernel& kernel,
                           const std::vector<std::int64_t>& instruction_costs, std::int64_t limit) {
    enum Counting : std::size_t { Left, Counted, both };
    const auto costs_of = [&](BlockIndex block, bool taken) {
        const auto sections = section_costs(kernel, block, taken, instruction_costs);
        StageCosts<both> costs;
        if (sections.size() == 1) {
            costs[Left][Left] = 0;
            costs[Counted][Counted] = sections.front();
            return costs;
        }
        models::Cycles inner{0};
        for (std::size_t i = 1; i + 1 < sections.size(); ++i)
            inner += models::Cycles{std::max<std::int64_t>(0, sections[i] - limit)};
        for (const std::size_t from : {Left, Counted})
            for (const std::size_t to : {Left, Counted})
                costs[from][to] = (inner + models::Cycles{from == Counted ? sections.front() : 0} +
                                   models::Cycles{to == Counted ? sections.back() - limit : 0})
                                      .count();
        return costs;
    };
    return staged_paths<both>(kernel, costs_of, {{Left, 0}, {Counted, -limit}},
                              std::numeric_limits<std::int64_t>::min());
}

} // namespace warpbound::analyzer
