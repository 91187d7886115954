#include "certification/verify/interference/memory_queue.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <vector>

namespace warpbound::certification::verify {

namespace {

using models::plus;
using models::times;
using Timing = models::InstructionTiming;

std::vector<const Timing*> queued_instructions(const TimedCode& code) {
    std::vector<const Timing*> queued;
    for (std::size_t i = 0; i < code.timings.size(); ++i)
        if (code.reachable[i] && code.timings[i].value().queue)
            queued.push_back(&code.timings[i].value());
    return queued;
}

/// s of S37: to the next hand-over of the scheduler.
std::int64_t spacing(const Timing& timing) {
    return std::max(timing.queue->interval.hi, port_occupancy(timing));
}

/// S37: a warp whose queue no other warp uses.
bool has_queue_to_itself(const LaunchGeometry& launch) {
    const std::int64_t together =
        times(std::min(launch.block_slots, launch.blocks), launch.warps_per_block);
    return launch.waves == 1 && launch.per_scheduler(together) == 1;
}

/// B of S38. Requires: some instruction waits in a queue.
std::int64_t harmless_backlog(const std::vector<const Timing*>& queued) {
    std::int64_t least_entry = queued.front()->queue->entry.lo;
    std::int64_t longest_entry = 0;
    for (const Timing* timing : queued) {
        least_entry = std::min(least_entry, timing->queue->entry.lo);
        longest_entry = std::max(longest_entry, timing->queue->entry.hi);
    }
    const models::QueueTiming& queue = *queued.front()->queue;
    return std::min(times(queue.places, queue.interval.lo),
                    std::max(longest_entry, plus(least_entry, queue.interval.lo)));
}

} // namespace

bool has_queued_instructions(const TimedCode& code) {
    return !queued_instructions(code).empty();
}

bool queues_behind_other_warps(const TimedCode& code) {
    return has_queued_instructions(code) && !has_queue_to_itself(code.geometry);
}

void add_memory_queue_demand(const TimedCode& code, DemandTables& tables) {
    const auto queued = queued_instructions(code);
    if (queued.empty()) return;
    if (!has_queue_to_itself(code.geometry)) {
        const std::int64_t backlog = harmless_backlog(queued);
        DemandTable& own = tables.at(certificate_id::own_scheduler);
        for (std::size_t i = 0; i < own.size(); ++i) {
            if (!code.reachable[i]) continue;
            const Timing& timing = code.timings[i].value();
            if (!timing.queue) continue;
            const std::int64_t late = std::max<std::int64_t>(0, timing.queue->entry.hi - backlog);
            own[i] = std::max(own[i], plus(spacing(timing), late));
        }
    }
    tables[certificate_id::lower_memory_queue] =
        demand_table(code, [&](const Timing& timing, std::size_t i) -> std::int64_t {
            const auto& guard = code.kernel.function->instructions[i].guard;
            return timing.queue && (!guard || guard->always()) ? timing.queue->interval.lo : 0;
        });
}

DemandTable backlog_raises(const TimedCode& code) {
    const auto queued = queued_instructions(code);
    if (queued.empty()) return DemandTable(code.timings.size(), 0);
    const std::int64_t backlog = harmless_backlog(queued);
    return demand_table(code, [&](const Timing& timing, std::size_t) -> std::int64_t {
        if (!timing.queue) return 0;
        const std::int64_t late = timing.queue->entry.hi - backlog;
        return plus(spacing(timing), std::max<std::int64_t>(0, late));
    });
}

std::int64_t lag_beside_backlog(const TimedCode& code, const models::QueueTiming& queue) {
    return std::max<std::int64_t>(0, harmless_backlog(queued_instructions(code)) -
                                         plus(queue.entry.lo, queue.interval.lo));
}

std::int64_t longest_without_backlog(const TimedCode& code, const Timing& timing,
                                     const models::Interval& first) {
    if (!timing.queue) return with_passes(first.hi, timing);
    const models::QueueTiming& queue = *timing.queue;
    return plus(with_passes(std::max(first.hi, queue.entry.hi), timing),
                lag_beside_backlog(code, queue));
}

std::int64_t places_of_queue(const TimedCode& code) {
    const auto queued = queued_instructions(code);
    return queued.empty() ? 0 : queued.front()->queue->places;
}

std::int64_t stay_in_queue(const TimedCode& code) {
    std::int64_t first = 0;   // max(e, s)
    std::int64_t apart = 0;   // s
    std::int64_t longest = 0; // o
    for (const Timing* timing : queued_instructions(code)) {
        first = std::max({first, timing->queue->entry.hi, spacing(*timing)});
        apart = std::max(apart, spacing(*timing));
        longest = std::max(longest, port_occupancy(*timing));
    }
    const LaunchGeometry& launch = code.geometry;
    const std::int64_t schedulers = std::min(launch.schedulers, launch.resident_warps());
    const std::int64_t of_others = times(schedulers - 1, longest);
    const std::int64_t places = places_of_queue(code);
    if (places == 0) return 0;
    // The first one, then each of those that are before the last: N - 1 further hand-overs.
    return plus(plus(first, of_others), times(places - 1, plus(apart, of_others)));
}

std::int64_t memory_queue_carry_in(const TimedCode& code) {
    const auto queued = queued_instructions(code);
    if (queued.empty()) return 0;
    std::int64_t longest_entry = 0;
    std::int64_t longest_spacing = 0;
    std::int64_t longest_occupancy = 0;
    for (const Timing* timing : queued) {
        longest_entry = std::max(longest_entry, timing->queue->entry.hi);
        longest_spacing = std::max(longest_spacing, spacing(*timing));
        longest_occupancy = std::max(longest_occupancy, port_occupancy(*timing));
    }
    const std::int64_t places = queued.front()->queue->places;
    const std::int64_t on_path = times(places + 1, longest_occupancy);
    if (has_queue_to_itself(code.geometry)) return on_path;
    const std::int64_t in_queue =
        plus(std::max(longest_entry, longest_spacing), times(places, longest_spacing));
    return plus(on_path, in_queue) - harmless_backlog(queued);
}

} // namespace warpbound::certification::verify
