#include "analyzer/interference/resource_demand.hpp"

#include "analyzer/path/loop_bounded_paths.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

models::UnitScope scope_of(const AnalysisContext& context,
                           const models::InstructionTiming& timing) {
    return context.request.architecture->units[timing.unit].scope;
}

std::int64_t longest_occupancy(const models::InstructionTiming& timing) {
    return (models::Cycles{timing.initiation.hi} * timing.passes.hi).count();
}

/// Distance of grants that an instruction needs: for its reads, and for the latch of its unit,
/// which carries a lag on. All 0 when no instruction reads a bank more than once: then no grant
/// lags.
InstructionCosts grant_distances(const AnalysisContext& context) {
    InstructionCosts distances(context.timings.size(), 0);
    if (!context.register_reads || longest_read_lag(context) == 0) return distances;
    const RegisterReads& reads = *context.register_reads;
    std::map<std::size_t, std::int64_t> longest_use;
    const InstructionCosts uses = per_instruction(
        context, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            const bool has_latch = scope_of(context, timing) == models::UnitScope::Partition;
            return reads.has_fixed_latency[i] && has_latch ? longest_occupancy(timing) : 0;
        });
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (uses[i] > 0) {
            auto& longest = longest_use[context.timings[i].value().unit];
            longest = std::max(longest, uses[i]);
        }
    return per_instruction(context, [&](std::size_t i, const models::InstructionTiming& timing) {
        return std::max(reads.spacing(i), uses[i] > 0 ? longest_use[timing.unit] : 0);
    });
}

} // namespace

InstructionCosts cost_to_same_scheduler(const AnalysisContext& context) {
    InstructionCosts costs = port_times(context);
    const InstructionCosts distances = grant_distances(context);
    const std::int64_t slot = context.shape.issue_slot.hi;
    for (std::size_t i = 0; i < costs.size(); ++i)
        costs[i] =
            context.used[i] && context.timings[i] ? std::max({slot, costs[i], distances[i]}) : 0;
    return costs;
}

InstructionCosts delay_by_own_reads(const AnalysisContext& context) {
    const InstructionCosts distances = grant_distances(context);
    return per_instruction(
        context, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            const std::int64_t gap = std::max({std::int64_t{1}, context.shape.issue_slot.lo,
                                               std::min(timing.gap.lo, timing.gap_taken.lo)});
            return std::max<std::int64_t>(0, distances[i] - gap);
        });
}

std::int64_t longest_read_lag(const AnalysisContext& context) {
    if (!context.register_reads || has_scheduler_to_itself(context.shape)) return 0;
    std::int64_t longest = 1;
    for (std::size_t i = 0; i < context.used.size(); ++i)
        if (context.used[i]) longest = std::max(longest, context.register_reads->spacing(i));
    return 2 * (longest - 1);
}

InstructionCosts read_costs(const AnalysisContext& context, std::size_t bank) {
    return per_instruction(context, [&](std::size_t i, const models::InstructionTiming&) {
        return context.register_reads->least[i][bank];
    });
}

InstructionCosts cost_to_other_schedulers(const AnalysisContext& context) {
    return per_instruction(context, [&](std::size_t, const models::InstructionTiming& timing) {
        return scope_of(context, timing) == models::UnitScope::Core ? longest_occupancy(timing) : 0;
    });
}

InstructionCosts port_times(const AnalysisContext& context) {
    return per_instruction(
        context, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            return scope_of(context, timing) == models::UnitScope::Warp ? 0
                                                                        : longest_occupancy(timing);
        });
}

bool is_shared_by_all(const AnalysisContext& context, std::size_t instruction) {
    return scope_of(context, context.timings[instruction].value()) == models::UnitScope::Core;
}

bool enters_write_buffer(const AnalysisContext& context, std::size_t instruction) {
    return context.used[instruction] && context.timings[instruction] &&
           context.timings[instruction].value().enters_write_buffer;
}

InstructionCosts drain_costs(const AnalysisContext& context, Side side) {
    return per_instruction(
        context, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            if (!timing.enters_write_buffer) return 0;
            if (side == Side::Upper)
                return (models::Cycles{context.buffer_drain.hi} * timing.passes.hi).count();
            if (assembly::is_guarded(context.request.function->instructions[i])) return 0;
            return (models::Cycles{context.buffer_drain.lo} * timing.passes.lo).count();
        });
}

InstructionCosts port_costs(const AnalysisContext& context, std::size_t unit) {
    return per_instruction(
        context, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            if (timing.unit != unit) return 0;
            if (assembly::is_guarded(context.request.function->instructions[i])) return 0;
            return (models::Cycles{timing.initiation.lo} * timing.passes.lo).count();
        });
}

InstructionCosts issue_slot_costs(const AnalysisContext& context) {
    // After a gap of 0 the next instruction issues in the same slot, without a further choice.
    return per_instruction(
        context, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            return timing.gap.lo > 0 && timing.gap_taken.lo > 0 ? context.shape.issue_slot.lo : 0;
        });
}

std::vector<std::int64_t> block_costs(const AnalysisContext& context,
                                      const InstructionCosts& costs) {
    const auto& blocks = context.request.graph->blocks;
    std::vector<std::int64_t> sums(blocks.size(), 0);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        models::Cycles sum{0};
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i)
            sum += models::Cycles{costs[i]};
        sums[block] = sum.count();
    }
    return sums;
}

PathGraph sum_graph(const AnalysisContext& context, const std::vector<std::int64_t>& costs,
                    Side side) {
    const auto& graph = *context.request.graph;
    PathGraph paths;
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        PathNode node{block, std::nullopt, {}};
        if (graph.blocks[block].exits) node.end_cost = costs[block];
        for (const std::size_t edge : graph.blocks[block].out)
            if (!context.facts.never[graph.edges[edge].to])
                node.successors.push_back({graph.edges[edge].to, costs[block]});
        paths.nodes.push_back(std::move(node));
    }
    return tidy(std::move(paths), side);
}

std::int64_t extreme_sum(const AnalysisContext& context, const std::vector<std::int64_t>& costs,
                         Side side) {
    const PathGraph paths = sum_graph(context, costs, side);
    const auto best =
        LoopBoundedPaths{*context.request.graph, paths, context.facts.loops, side}.start_to_end();
    return best ? std::max<std::int64_t>(0, best->cost) : 0;
}

std::int64_t most_on_a_path(const AnalysisContext& context, const InstructionCosts& costs) {
    return extreme_sum(context, block_costs(context, costs), Side::Upper);
}

std::int64_t least_on_a_path(const AnalysisContext& context, const InstructionCosts& costs) {
    return extreme_sum(context, block_costs(context, costs), Side::Lower);
}

PathGraph without_resource_demand(PathGraph paths, const std::vector<std::int64_t>& costs) {
    for (PathNode& node : paths.nodes) {
        const models::Cycles demand{costs[node.block]};
        if (node.end_cost) node.end_cost = (models::Cycles{*node.end_cost} - demand).count();
        for (PathEdge& edge : node.successors)
            edge.cost = (models::Cycles{edge.cost} - demand).count();
    }
    return paths;
}

} // namespace warpbound::analyzer
