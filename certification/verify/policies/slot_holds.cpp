#include "certification/verify/policies/slot_holds.hpp"

#include "certification/verify/interference/register_reads.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using Timing = models::InstructionTiming;

template <typename Of> std::vector<Hold> held_by_each(const TimedCode& code, Of of) {
    std::vector<Hold> holds(code.timings.size());
    for (std::size_t i = 0; i < holds.size(); ++i)
        if (code.reachable[i]) holds[i] = of(code.timings[i].value(), i);
    return holds;
}

std::int64_t longest_drain(const TimedCode& code) {
    const DemandTable drains = demand_table(
        code, [&](const Timing& timing, std::size_t) { return drain_time(code, timing, true); });
    return drains.empty() ? 0 : *std::max_element(drains.begin(), drains.end());
}

/// Of boundaries of a path that may go from warp slot to warp slot.
std::int64_t distance_on_path(const TimedCode& code, const SlotDistance& distance) {
    return std::max<std::int64_t>(1, distance.shortest - code.geometry.issue_slot.hi + 1);
}

} // namespace

std::vector<Hold> held_ports(const TimedCode& code) {
    return held_by_each(code, [&](const Timing& timing, std::size_t) {
        // Behind a memory queue slots wait for a place of it instead (S78).
        const bool blocks_none = is_port_of_warp(code, timing) || timing.queue;
        const std::int64_t cycles = blocks_none ? 0 : port_occupancy(timing);
        return Hold{cycles, cycles > 0 && is_port_of_multiprocessor(code, timing), {}};
    });
}

std::vector<Hold> held_stages(const TimedCode& code) {
    const DemandTable grants = cycles_per_grant(code);
    const std::int64_t lag = longest_lag(code);
    return held_by_each(code, [&](const Timing&, std::size_t i) {
        return grants[i] > 1 ? Hold{models::plus(lag, 2), false, grants[i] - 1} : Hold{};
    });
}

std::vector<Hold> held_buffer(const TimedCode& code) {
    const std::int64_t drain = longest_drain(code);
    return held_by_each(code, [&](const Timing& timing, std::size_t) {
        return timing.enters_write_buffer
                   ? Hold{models::times(drain, write_buffer_entries(code).lo), true, {}}
                   : Hold{};
    });
}

DemandTable slots_of_reads(const TimedCode& code, const SlotDistance& distance) {
    const std::int64_t boundaries = 1 + (longest_lag(code) - 1) / distance_on_path(code, distance);
    DemandTable table = cycles_per_grant(code);
    for (std::int64_t& cycles : table)
        cycles = cycles > 1 ? models::times(std::min(cycles - 1, boundaries), distance.longest) : 0;
    return table;
}

std::int64_t slots_of_reads_left(const TimedCode& code, const SlotDistance& distance) {
    return models::times(1 + longest_lag(code) / distance_on_path(code, distance),
                         distance.longest);
}

StoresInSlots::StoresInSlots(const TimedCode& code)
    : code_{code}, entries_{1, 1, 1}, of_warp_{most_stores(code)}, longest_drain_{
                                                                       longest_drain(code)} {
    if (of_warp_ == 0) return;
    entries_ = write_buffer_entries(code);
    drain_of_warp_ = largest_path_demand(
        code, [&](const Timing& timing, std::size_t) { return drain_time(code, timing, true); });
    may_wait_ = models::times(of_warp_, code.geometry.interfering_warps()) > entries_.lo;
}

/// Each accounts for one blocked slot, and for those while it drains: each P' of its warp slot, and
/// no more in all than the shortest distance allows.
std::int64_t StoresInSlots::one_by_one(const std::vector<SlotDistance>& distances) const {
    const SlotDistance any = any_distance(distances);
    const std::int64_t of_warp =
        largest_path_demand(code_, [&](const Timing& timing, std::size_t) -> std::int64_t {
            if (!timing.enters_write_buffer) return 0;
            const std::int64_t drain = drain_time(code_, timing, true);
            std::int64_t most = 0;
            for (const SlotDistance& distance : distances)
                most = std::max(most, models::times(drain, distance.longest) / distance.shortest);
            most = std::min(most, models::times(drain / any.shortest, any.longest));
            return models::plus(any.longest, most);
        });
    return models::times(of_warp, code_.geometry.interfering_warps());
}

/// (N (P - 1) + K D) / (K P)
std::int64_t StoresInSlots::blocked_slots_at(const SlotDistance& distance) const {
    if (!may_wait_) return 0;
    const std::int64_t warps = code_.geometry.interfering_warps();
    const std::int64_t held =
        models::plus(models::times(models::times(of_warp_, warps), distance.shortest - 1),
                     models::times(models::times(drain_of_warp_, warps), entries_.lo));
    return std::min(held / models::times(entries_.lo, distance.shortest),
                    one_by_one({distance}) / distance.longest);
}

/// f D + N P' / K
std::int64_t StoresInSlots::by_drains(std::int64_t stores, std::int64_t drains,
                                      const std::vector<SlotDistance>& distances) const {
    std::int64_t while_draining = 0;
    for (const SlotDistance& distance : distances) {
        const std::int64_t cycles = models::times(drains, distance.longest);
        const std::int64_t apart = distance_on_path(code_, distance);
        while_draining = std::max(while_draining, cycles / apart + (cycles % apart == 0 ? 0 : 1));
    }
    return models::plus(while_draining,
                        models::times(stores, any_distance(distances).longest) / entries_.lo);
}

std::int64_t StoresInSlots::cycles_on_path(const std::vector<SlotDistance>& distances) const {
    if (!may_wait_) return 0;
    const LaunchGeometry& launch = code_.geometry;
    const std::int64_t warps = launch.interfering_warps();
    const std::int64_t least = std::min(
        by_drains(models::times(of_warp_, warps), models::times(drain_of_warp_, warps), distances),
        one_by_one(distances));
    if (launch.waves == 1 || launch.multiprocessors == 1) return least;
    // S17, lemma 4: the blocks along both critical paths, and what others left in the buffer.
    const std::int64_t on_path =
        models::times(std::min(launch.blocks, launch.blocks_before_last() + launch.block_slots),
                      launch.warps_per_block);
    return std::min(least, by_drains(models::plus(models::times(of_warp_, on_path), entries_.hi),
                                     models::plus(models::times(drain_of_warp_, on_path),
                                                  models::times(entries_.hi, longest_drain_)),
                                     distances));
}

} // namespace warpbound::certification::verify
