#include "analyzer/interference/resource_demand.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

models::UnitScope scope_of(const Problem& problem, const models::InstructionTiming& timing) {
    return problem.request.architecture->units[timing.unit].scope;
}

std::int64_t longest_occupancy(const models::InstructionTiming& timing) {
    return (models::Cycles{timing.initiation.hi} * timing.passes.hi).count();
}

} // namespace

InstructionCosts cost_to_same_scheduler(const Problem& problem) {
    InstructionCosts costs = port_times(problem);
    const std::int64_t slot = problem.shape.issue_slot.hi;
    for (std::size_t i = 0; i < costs.size(); ++i)
        costs[i] = problem.used[i] && problem.timings[i] ? std::max(slot, costs[i]) : 0;
    return costs;
}

InstructionCosts cost_to_other_schedulers(const Problem& problem) {
    return per_instruction(problem, [&](std::size_t, const models::InstructionTiming& timing) {
        return scope_of(problem, timing) == models::UnitScope::Core ? longest_occupancy(timing) : 0;
    });
}

InstructionCosts port_times(const Problem& problem) {
    return per_instruction(
        problem, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            return scope_of(problem, timing) == models::UnitScope::Warp ? 0
                                                                        : longest_occupancy(timing);
        });
}

bool is_shared_by_all(const Problem& problem, std::size_t instruction) {
    return scope_of(problem, problem.timings[instruction].value()) == models::UnitScope::Core;
}

bool enters_write_buffer(const Problem& problem, std::size_t instruction) {
    return problem.used[instruction] && problem.timings[instruction] &&
           problem.timings[instruction].value().enters_write_buffer;
}

InstructionCosts drain_costs(const Problem& problem, Side side) {
    return per_instruction(
        problem, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            if (!timing.enters_write_buffer) return 0;
            if (side == Side::Upper)
                return (models::Cycles{problem.buffer_drain.hi} * timing.passes.hi).count();
            if (assembly::is_guarded(problem.request.function->instructions[i])) return 0;
            return (models::Cycles{problem.buffer_drain.lo} * timing.passes.lo).count();
        });
}

InstructionCosts port_costs(const Problem& problem, std::size_t unit) {
    return per_instruction(
        problem, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            if (timing.unit != unit) return 0;
            if (assembly::is_guarded(problem.request.function->instructions[i])) return 0;
            return (models::Cycles{timing.initiation.lo} * timing.passes.lo).count();
        });
}

InstructionCosts issue_slot_costs(const Problem& problem) {
    // Behind a gap of 0 the next instruction may issue without a choice of its own.
    return per_instruction(
        problem, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            return timing.gap.lo > 0 && timing.gap_taken.lo > 0 ? problem.shape.issue_slot.lo : 0;
        });
}

std::vector<std::int64_t> block_costs(const Problem& problem, const InstructionCosts& costs) {
    const auto& blocks = problem.request.graph->blocks;
    std::vector<std::int64_t> sums(blocks.size(), 0);
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        models::Cycles sum{0};
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i)
            sum += models::Cycles{costs[i]};
        sums[block] = sum.count();
    }
    return sums;
}

PathGraph sum_graph(const Problem& problem, const std::vector<std::int64_t>& costs, Side side) {
    const auto& graph = *problem.request.graph;
    PathGraph paths;
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        PathNode node{block, std::nullopt, {}};
        if (graph.blocks[block].exits) node.end_cost = costs[block];
        for (const std::size_t edge : graph.blocks[block].out)
            if (!problem.facts.never[graph.edges[edge].to])
                node.successors.push_back({graph.edges[edge].to, costs[block]});
        paths.nodes.push_back(std::move(node));
    }
    return tidy(std::move(paths), side);
}

std::int64_t extreme_sum(const Problem& problem, const std::vector<std::int64_t>& costs,
                         Side side) {
    const PathGraph paths = sum_graph(problem, costs, side);
    const auto best =
        StructuralPaths{*problem.request.graph, paths, problem.facts.loops, side}.start_to_end();
    return best ? std::max<std::int64_t>(0, best->cost) : 0;
}

std::int64_t most_on_a_path(const Problem& problem, const InstructionCosts& costs) {
    return extreme_sum(problem, block_costs(problem, costs), Side::Upper);
}

std::int64_t least_on_a_path(const Problem& problem, const InstructionCosts& costs) {
    return extreme_sum(problem, block_costs(problem, costs), Side::Lower);
}

PathGraph without_work(PathGraph paths, const std::vector<std::int64_t>& costs) {
    for (PathNode& node : paths.nodes) {
        const models::Cycles work{costs[node.block]};
        if (node.end_cost) node.end_cost = (models::Cycles{*node.end_cost} - work).count();
        for (PathEdge& edge : node.successors)
            edge.cost = (models::Cycles{edge.cost} - work).count();
    }
    return paths;
}

} // namespace warpbound::analyzer
