#include "certification/verify/policies/slot_table.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace warpbound::certification::verify {

/// Of the time slots that the fast warp slot does not own, the j-th has the number
/// j + 1 + j / (every - 1), and every (warp_slots - 1)-th belongs to the same warp slot. From
/// one to the next of these the quotient grows by that of the difference, rounded down or up.
SlotDistance SchedulerSlots::distance(std::int64_t warp_slot) const {
    if (warp_slots == 1) return {1, 1};
    if (warp_slot == fast) return {models::times(every, duration), models::times(every, duration)};
    const std::int64_t others = warp_slots - 1;
    const std::int64_t of_fast = others / (every - 1);
    const std::int64_t rest = others % (every - 1) == 0 ? 0 : 1;
    return {models::times(others + of_fast, duration),
            models::times(others + of_fast + rest, duration)};
}

std::int64_t SchedulerSlots::owner(std::int64_t time_slot) const {
    if (time_slot % every == 0) return fast;
    const std::int64_t among_others = (time_slot - time_slot / every - 1) % (warp_slots - 1);
    return among_others < fast ? among_others : among_others + 1;
}

/// Each `every` time slots the other warp slots have every - 1 of them, in turn.
std::int64_t SchedulerSlots::repeats_after() const {
    if (warp_slots == 1) return 1;
    const std::int64_t others = warp_slots - 1;
    return models::times(every, others / std::gcd(others, every - 1));
}

std::int64_t SchedulerSlots::next_own(std::int64_t warp_slot, std::int64_t cycle) const {
    const std::int64_t at = cycle / duration;
    if (warp_slots == 1 || owner(at) == warp_slot) return cycle;
    if (warp_slot == fast) return models::times(at / every + 1, models::times(every, duration));
    // The time slots before `at` that the fast warp slot does not own; the others take them in
    // turn.
    const std::int64_t others = warp_slots - 1;
    const std::int64_t before = at - (at + every - 1) / every;
    const std::int64_t own = warp_slot < fast ? warp_slot : warp_slot - 1;
    const std::int64_t next = before + (own - before % others + others) % others;
    return models::times(next + 1 + next / (every - 1), duration);
}

std::int64_t SchedulerSlots::different_starts() const {
    if (warp_slots == 1) return 1;
    return models::times(taken == warp_slots ? every : repeats_after(), duration);
}

std::vector<SchedulerSlots> slots_of_schedulers(const models::WarpPolicy& policy,
                                                const LaunchGeometry& launch, std::int64_t blocks) {
    const std::int64_t all = launch.resident_warps();
    const std::int64_t warps = models::times(blocks, launch.warps_per_block);
    std::vector<SchedulerSlots> schedulers;
    for (std::int64_t first = 0; first < std::min(warps, launch.schedulers); ++first) {
        SchedulerSlots slots;
        slots.warp_slots = (all - first - 1) / launch.schedulers + 1;
        slots.taken = (warps - first - 1) / launch.schedulers + 1;
        slots.fast = policy.fast % slots.warp_slots;
        slots.every = policy.every;
        slots.duration = launch.issue_slot.hi;
        schedulers.push_back(slots);
    }
    return schedulers;
}

std::vector<SlotDistance> distances_of_warp_slots(const models::WarpPolicy& policy,
                                                  const LaunchGeometry& launch,
                                                  std::int64_t blocks) {
    if (models::guarantee_of(policy) != models::PolicyGuarantee::TimeDivision) return {};
    std::set<SlotDistance> distances;
    for (const SchedulerSlots& slots : slots_of_schedulers(policy, launch, blocks))
        for (std::int64_t warp_slot = 0; warp_slot < slots.taken; ++warp_slot)
            distances.insert(slots.distance(warp_slot));
    return {distances.begin(), distances.end()};
}

SlotDistance any_distance(const std::vector<SlotDistance>& distances) {
    SlotDistance any = distances.front();
    for (const SlotDistance& distance : distances) {
        any.shortest = std::min(any.shortest, distance.shortest);
        any.longest = std::max(any.longest, distance.longest);
    }
    return any;
}

std::string certificate_suffix(const SlotDistance& distance) {
    const std::string suffix = "-slot-distance-" + std::to_string(distance.shortest);
    return distance.shortest == distance.longest ? suffix
                                                 : suffix + "-" + std::to_string(distance.longest);
}

} // namespace warpbound::certification::verify
