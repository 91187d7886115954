#include "analyzer/interference/resource_demand.hpp"

#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "assembly/isa/target.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

models::UnitScope scope_of(const TimedKernel& kernel, const models::InstructionTiming& timing) {
    return kernel.architecture->units[timing.unit].scope;
}

std::int64_t longest_occupancy(const models::InstructionTiming& timing) {
    return models::occupancy_of_port(timing).hi;
}

/// The occupancy of its latch by an instruction of fixed latency; else 0.
InstructionCosts latch_uses(const TimedKernel& kernel) {
    return per_instruction(
        kernel, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            const bool has_latch = scope_of(kernel, timing) == models::UnitScope::Partition;
            return kernel.registers.reads->has_fixed_latency[i] && has_latch
                       ? longest_occupancy(timing)
                       : 0;
        });
}

} // namespace

InstructionCosts grant_distances(const TimedKernel& kernel, const LaunchGeometry& shape) {
    InstructionCosts distances(kernel.timings.size(), 0);
    if (!kernel.registers.reads || longest_read_lag(kernel, shape) == 0) return distances;
    const RegisterReads& reads = *kernel.registers.reads;
    std::map<std::size_t, std::int64_t> longest_use;
    const InstructionCosts uses = latch_uses(kernel);
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (uses[i] > 0) {
            auto& longest = longest_use[kernel.timings[i].value().unit];
            longest = std::max(longest, uses[i]);
        }
    return per_instruction(kernel, [&](std::size_t i, const models::InstructionTiming& timing) {
        return std::max(reads.spacing(i), uses[i] > 0 ? longest_use[timing.unit] : 0);
    });
}

InstructionCosts cost_to_same_scheduler(const TimedKernel& kernel, const LaunchGeometry& shape) {
    InstructionCosts costs = port_times(kernel);
    const InstructionCosts distances = grant_distances(kernel, shape);
    const InstructionCosts queued = queue_demand(kernel, shape);
    const std::int64_t slot = shape.issue_slot.hi;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        // The delays by the queue and by the stages in front of the units are counted apart.
        costs[i] = queued[i] > 0 ? models::plus(std::max(slot, queued[i]), distances[i])
                                 : std::max({slot, costs[i], distances[i]});
    }
    return costs;
}

InstructionCosts cost_without_port(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const InstructionCosts distances = grant_distances(kernel, shape);
    return per_instruction(kernel, [&](std::size_t i, const models::InstructionTiming&) {
        return std::max(shape.issue_slot.hi, distances[i]);
    });
}

InstructionCosts delay_by_own_instructions(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const InstructionCosts distances = grant_distances(kernel, shape);
    const InstructionCosts queued = queue_demand(kernel, shape);
    const InstructionCosts late = lags_without_backlog(kernel);
    return per_instruction(
        kernel, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            const std::int64_t gap = std::max({std::int64_t{1}, shape.issue_slot.lo,
                                               std::min(timing.gap.lo, timing.gap_taken.lo)});
            return models::plus(std::max<std::int64_t>(0, distances[i] - gap),
                                models::plus(queued[i], queued[i] > 0 ? late[i] : 0));
        });
}

std::int64_t longest_read_lag(const TimedKernel& kernel, const LaunchGeometry& shape) {
    if (!kernel.registers.reads || has_scheduler_to_itself(shape)) return 0;
    std::int64_t most_reads = 1;
    for (std::size_t i = 0; i < kernel.used.size(); ++i)
        if (kernel.used[i]) most_reads = std::max(most_reads, kernel.registers.reads->spacing(i));
    const InstructionCosts uses = latch_uses(kernel);
    const std::int64_t longest_use = uses.empty() ? 0 : *std::max_element(uses.begin(), uses.end());
    return longest_lag_of_grants(most_reads, longest_use);
}

InstructionCosts read_costs(const TimedKernel& kernel, std::size_t bank) {
    return per_instruction(kernel, [&](std::size_t i, const models::InstructionTiming&) {
        return kernel.registers.reads->least[i][bank];
    });
}

InstructionCosts cost_to_other_schedulers(const TimedKernel& kernel) {
    return per_instruction(kernel, [&](std::size_t, const models::InstructionTiming& timing) {
        return scope_of(kernel, timing) == models::UnitScope::Core ? longest_occupancy(timing) : 0;
    });
}

InstructionCosts port_times(const TimedKernel& kernel) {
    return per_instruction(
        kernel, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            return scope_of(kernel, timing) == models::UnitScope::Warp ? 0
                                                                       : longest_occupancy(timing);
        });
}

bool is_shared_by_all(const TimedKernel& kernel, std::size_t instruction) {
    return scope_of(kernel, kernel.timings[instruction].value()) == models::UnitScope::Core;
}

bool enters_write_buffer(const TimedKernel& kernel, std::size_t instruction) {
    return kernel.used[instruction] && kernel.timings[instruction] &&
           kernel.timings[instruction].value().enters_write_buffer;
}

InstructionCosts drain_costs(const TimedKernel& kernel, Side side) {
    return per_instruction(
        kernel, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            if (!timing.enters_write_buffer) return 0;
            const models::Interval drains =
                models::drain_of_store(timing, kernel.write_buffer.drain);
            if (side == Side::Upper) return drains.hi;
            return assembly::is_guarded(kernel.function->instructions[i]) ? 0 : drains.lo;
        });
}

InstructionCosts port_costs(const TimedKernel& kernel, std::size_t unit) {
    return per_instruction(
        kernel, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            if (timing.unit != unit) return 0;
            if (assembly::is_guarded(kernel.function->instructions[i])) return 0;
            return models::occupancy_of_port(timing).lo;
        });
}

InstructionCosts issue_slot_costs(const TimedKernel& kernel, const LaunchGeometry& shape) {
    // A SIMD of AMD may issue for several wavefronts in one cycle (C99).
    if (is_amd(kernel.architecture->target)) return InstructionCosts(kernel.timings.size(), 0);
    // After a gap of 0 the next instruction issues in the same slot, without a further choice.
    return per_instruction(
        kernel, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            return timing.gap.lo > 0 && timing.gap_taken.lo > 0 ? shape.issue_slot.lo : 0;
        });
}

PerBlock<std::int64_t> block_costs(const assembly::ControlFlowGraph& graph,
                                   const InstructionCosts& costs) {
    PerBlock<std::int64_t> sums;
    for (const assembly::BasicBlock& block : graph.blocks) {
        models::Cycles sum{0};
        for (std::size_t i = block.first; i <= block.last; ++i)
            sum += models::Cycles{costs[i]};
        sums.push_back(sum.count());
    }
    return sums;
}

PathGraph sum_graph(const TimedKernel& kernel, const PerBlock<std::int64_t>& costs, Side side) {
    const auto& graph = *kernel.graph;
    PathGraph paths;
    const auto node_of = [](BlockIndex block) { return NodeIndex{block.value()}; };
    for (const BlockIndex block : all_blocks(graph)) {
        const assembly::BasicBlock& code = block_at(graph, block);
        PathNode node{block, std::nullopt, {}};
        if (code.exits) node.end_cost = costs[block];
        for (const std::size_t edge : code.out)
            if (const BlockIndex to = to_block(graph.edges[edge]); !kernel.facts.never[to])
                node.successors.push_back({node_of(to), costs[block]});
        paths.nodes.push_back(std::move(node));
    }
    return tidy(std::move(paths), side);
}

std::int64_t extreme_sum(const TimedKernel& kernel, const PerBlock<std::int64_t>& costs,
                         Side side) {
    const PathGraph paths = sum_graph(kernel, costs, side);
    const auto best =
        LoopBoundedPaths{*kernel.graph, paths, kernel.facts.loops, side}.start_to_end();
    return best ? std::max<std::int64_t>(0, best->cost) : 0;
}

std::int64_t most_on_a_path(const TimedKernel& kernel, const InstructionCosts& costs) {
    return extreme_sum(kernel, block_costs(*kernel.graph, costs), Side::Upper);
}

std::int64_t least_on_a_path(const TimedKernel& kernel, const InstructionCosts& costs) {
    return extreme_sum(kernel, block_costs(*kernel.graph, costs), Side::Lower);
}

PathGraph without_resource_demand(PathGraph paths, const PerBlock<std::int64_t>& costs) {
    for (PathNode& node : paths.nodes) {
        const models::Cycles demand{costs[node.block]};
        if (node.end_cost) node.end_cost = (models::Cycles{*node.end_cost} - demand).count();
        for (PathEdge& edge : node.successors)
            edge.cost = (models::Cycles{edge.cost} - demand).count();
    }
    return paths;
}

} // namespace warpbound::analyzer
