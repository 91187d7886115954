#include "analyzer/interference/queue_demand.hpp"

#include "analyzer/launch/scheduled_launch.hpp"

#include <algorithm>

namespace warpbound::analyzer {

using models::Cycles;
using models::plus;
using models::times;

namespace {

using Timing = models::InstructionTiming;

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

std::int64_t occupancy_of_path(const Timing& timing) {
    return models::occupancy_of_port(timing).hi;
}

std::int64_t spacing_of(const Timing& timing) {
    return std::max(occupancy_of_path(timing), timing.queue->interval.hi);
}

QueueUse queue_use(const TimedKernel& kernel) {
    QueueUse use;
    std::int64_t full = 0; // Hand-overs of a full queue.
    std::int64_t least_lag = 0;
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i]) continue;
        const Timing& timing = kernel.timings[i].value();
        if (!timing.queue) continue;
        const models::QueueTiming& queue = *timing.queue;
        const std::int64_t all_places = times(queue.places, queue.interval.lo);
        const std::int64_t lag = plus(queue.entry.lo, queue.interval.lo);
        full = use.is_used ? std::min(full, all_places) : all_places;
        least_lag = use.is_used ? std::min(least_lag, lag) : lag;
        use.is_used = true;
        use.places = queue.places;
        use.longest_entry = std::max(use.longest_entry, queue.entry.hi);
        use.longest_spacing = std::max(use.longest_spacing, spacing_of(timing));
        use.longest_occupancy = std::max(use.longest_occupancy, occupancy_of_path(timing));
    }
    use.backlog = std::min(full, std::max(least_lag, use.longest_entry));
    return use;
}

/// `cost(timing, use)` for each instruction that waits in a queue, 0 for the others.
template <class Cost> InstructionCosts per_queued(const TimedKernel& kernel, Cost cost) {
    const QueueUse use = queue_use(kernel);
    return per_instruction(kernel, [&](std::size_t, const Timing& timing) -> std::int64_t {
        return timing.queue ? cost(timing, use) : 0;
    });
}

/// Not before the hand-over, and later by the lag. Side: upper.
void delay_by_lag(models::Interval& time, const models::Interval& entry, std::int64_t lag) {
    time.hi = plus(std::max(time.hi, entry.hi), lag);
}

} // namespace

bool uses_memory_queue(const TimedKernel& kernel) {
    return queue_use(kernel).is_used;
}

InstructionCosts backlog_costs(const TimedKernel& kernel) {
    return per_queued(kernel, [](const Timing& timing, const QueueUse& use) {
        return plus(spacing_of(timing),
                    std::max<std::int64_t>(0, timing.queue->entry.hi - use.backlog));
    });
}

InstructionCosts queue_demand(const TimedKernel& kernel, const LaunchGeometry& shape) {
    return has_scheduler_to_itself(shape) ? InstructionCosts(kernel.timings.size(), 0)
                                          : backlog_costs(kernel);
}

InstructionCosts lags_without_backlog(const TimedKernel& kernel) {
    return per_queued(kernel, [](const Timing& timing, const QueueUse& use) {
        return std::max<std::int64_t>(
            0, use.backlog - plus(timing.queue->entry.lo, timing.queue->interval.lo));
    });
}

std::int64_t queue_carry_in(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const QueueUse use = queue_use(kernel);
    if (!use.is_used) return 0;
    // What the queue of the former scheduler still hands over.
    Cycles carry_in = Cycles{use.longest_occupancy} * (use.places + 1);
    if (!has_scheduler_to_itself(shape))
        carry_in += Cycles{std::max(use.longest_entry, use.longest_spacing)} +
                    Cycles{use.longest_spacing} * use.places - Cycles{use.backlog};
    return carry_in.count();
}

InstructionCosts hand_over_costs(const TimedKernel& kernel) {
    return per_instruction(kernel, [&](std::size_t i, const Timing& timing) -> std::int64_t {
        const bool may_be_off = assembly::is_guarded(kernel.function->instructions[i]);
        return timing.queue && !may_be_off ? timing.queue->interval.lo : 0;
    });
}

std::int64_t longest_stay(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const QueueUse use = queue_use(kernel);
    if (!use.is_used) return 0;
    // Before each hand-over the path takes one instruction of every other scheduler at most (C73).
    const std::int64_t others = shape.schedulers_in_use() - 1;
    const std::int64_t turn = times(use.longest_occupancy, std::max<std::int64_t>(0, others));
    const std::int64_t first = plus(std::max(use.longest_entry, use.longest_spacing), turn);
    return plus(first, times(plus(use.longest_spacing, turn), use.places - 1));
}

InstructionCosts longest_lags(const TimedKernel& kernel, const LaunchGeometry& shape) {
    const std::int64_t stay = longest_stay(kernel, shape);
    return per_queued(kernel, [&](const Timing& timing, const QueueUse&) {
        return stay - timing.queue->entry.lo;
    });
}

TimedKernel with_queue_lags(const TimedKernel& kernel, const InstructionCosts& lags) {
    TimedKernel changed = kernel;
    if (!uses_memory_queue(kernel)) return changed;
    for (std::size_t i = 0; i < kernel.timings.size(); ++i) {
        if (!kernel.used[i] || !kernel.timings[i] || !kernel.timings[i].value().queue) continue;
        Timing& timing = changed.timings.own()[i].value();
        delay_by_lag(timing.latency, timing.queue->entry, lags[i]);
        delay_by_lag(timing.source_read, timing.queue->entry, lags[i]);
        models::free_port(timing);
        timing.least_occupancy = {0, std::nullopt, 0};
    }
    return changed;
}

TimedKernel without_queues(const TimedKernel& kernel, const InstructionCosts& lags) {
    TimedKernel changed = with_queue_lags(kernel, lags);
    if (!uses_memory_queue(kernel)) return changed;
    for (auto& timing : changed.timings.own())
        if (timing) timing.value().queue.reset();
    return changed;
}

} // namespace warpbound::analyzer
