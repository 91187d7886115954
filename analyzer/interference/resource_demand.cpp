#include "analyzer/interference/resource_demand.hpp"

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

/// What the memory instructions of a kernel take from the queue of a scheduler (S38). `Unit:` core
/// cycles.
struct QueueUse {
    bool is_used = false;
    std::int64_t backlog = 0; ///< Until the queue can hand over again, that delays nothing, but by
                              ///< `late_of` an own instruction.
    std::int64_t longest_entry = 0;
    std::int64_t longest_spacing = 0;
    std::int64_t longest_occupancy = 0;
    std::int64_t places = 0;
};

std::int64_t spacing_of(const models::InstructionTiming& timing) {
    return std::max(longest_occupancy(timing), timing.queue->interval.hi);
}

QueueUse queue_use(const TimedKernel& kernel) {
    QueueUse use;
    std::int64_t full = 0; // Hand-overs of a full queue.
    std::int64_t least_lag = 0;
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        const models::InstructionTiming& timing = kernel.timings[i].value();
        if (!timing.queue) continue;
        const models::QueueTiming& queue = *timing.queue;
        const std::int64_t all_places = models::times(queue.places, queue.interval.lo);
        const std::int64_t lag = models::plus(queue.entry.lo, queue.interval.lo);
        full = use.is_used ? std::min(full, all_places) : all_places;
        least_lag = use.is_used ? std::min(least_lag, lag) : lag;
        use.is_used = true;
        use.places = queue.places;
        use.longest_entry = std::max(use.longest_entry, queue.entry.hi);
        use.longest_spacing = std::max(use.longest_spacing, spacing_of(timing));
        use.longest_occupancy = std::max(use.longest_occupancy, longest_occupancy(timing));
    }
    use.backlog = std::min(full, std::max(least_lag, use.longest_entry));
    return use;
}

/// Cycles of the lag of an own instruction in which the backlog does not fall (S38, lemma 2).
std::int64_t late_of(const models::QueueTiming& queue, std::int64_t backlog) {
    return std::max<std::int64_t>(0, backlog - models::plus(queue.entry.lo, queue.interval.lo));
}

/// By how much an instruction makes the memory queue delay others, and its own warp; 0 where each
/// warp has a queue to itself.
InstructionCosts queue_costs(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const QueueUse use = queue_use(kernel);
    const bool in_state = has_scheduler_to_itself(shape);
    return per_instruction(
        kernel, [&](std::size_t, const models::InstructionTiming& timing) -> std::int64_t {
            if (!timing.queue || in_state) return 0;
            return models::plus(spacing_of(timing),
                                std::max<std::int64_t>(0, timing.queue->entry.hi - use.backlog));
        });
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
    const InstructionCosts queued = queue_costs(kernel, shape);
    const std::int64_t slot = shape.issue_slot.hi;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        // The delays by the queue and by the stages in front of the units are counted apart.
        costs[i] = queued[i] > 0 ? models::plus(std::max(slot, queued[i]), distances[i])
                                 : std::max({slot, costs[i], distances[i]});
    }
    return costs;
}

InstructionCosts delay_by_own_instructions(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const InstructionCosts distances = grant_distances(kernel, shape);
    const InstructionCosts queued = queue_costs(kernel, shape);
    const QueueUse use = queue_use(kernel);
    return per_instruction(
        kernel, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            const std::int64_t gap = std::max({std::int64_t{1}, shape.issue_slot.lo,
                                               std::min(timing.gap.lo, timing.gap_taken.lo)});
            const std::int64_t late =
                queued[i] > 0 ? late_of(*timing.queue, use.backlog) : std::int64_t{0};
            return models::plus(std::max<std::int64_t>(0, distances[i] - gap),
                                models::plus(queued[i], late));
        });
}

std::int64_t queue_carry_in(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const QueueUse use = queue_use(kernel);
    if (!use.is_used) return 0;
    // What the queue of the former scheduler still hands over.
    models::Cycles carry_in = models::Cycles{use.longest_occupancy} * (use.places + 1);
    if (!has_scheduler_to_itself(shape))
        carry_in += models::Cycles{std::max(use.longest_entry, use.longest_spacing)} +
                    models::Cycles{use.longest_spacing} * use.places - models::Cycles{use.backlog};
    return carry_in.count();
}

bool uses_memory_queue(const TimedKernel& kernel) {
    return queue_use(kernel).is_used;
}

InstructionCosts hand_over_costs(const TimedKernel& kernel) {
    return per_instruction(
        kernel, [&](std::size_t i, const models::InstructionTiming& timing) -> std::int64_t {
            const bool may_be_off = assembly::is_guarded(kernel.function->instructions[i]);
            return timing.queue && !may_be_off ? timing.queue->interval.lo : 0;
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
