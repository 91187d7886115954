#pragma once
/// \file
/// Distances of the time slots of a warp slot under a time-division policy (rule C19 of
/// docs/reference/timing-contract.md).

#include "certification/verify/interference/launch_geometry.hpp"

#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// From one time slot of a warp slot to its next one. `Unit:` core cycles. 1: the warp may be
/// chosen at any time.
struct SlotDistance {
    std::int64_t shortest = 1; ///< P.
    std::int64_t longest = 1;  ///< P'.

    friend auto operator<=>(const SlotDistance&, const SlotDistance&) = default;
};

/// The warp slots of one scheduler and the owners of its time slots (C19).
struct SchedulerSlots {
    std::int64_t warp_slots = 0;
    std::int64_t taken = 0;    ///< Warp slots that have a warp: the first ones.
    std::int64_t fast = 0;     ///< Index of the fast warp slot.
    std::int64_t every = 2;    ///< It owns each time slot whose number is a multiple of this.
    std::int64_t duration = 1; ///< Of a time slot. `Unit:` core cycles.

    /// Whether as many warp slots of it have warps, of as many.
    [[nodiscard]] bool is_like(const SchedulerSlots& other) const {
        return warp_slots == other.warp_slots && taken == other.taken;
    }
    [[nodiscard]] SlotDistance distance(std::int64_t warp_slot) const;
    /// The warp slot that owns it. Requires: several warp slots.
    [[nodiscard]] std::int64_t owner(std::int64_t time_slot) const;
    /// Time slots after which owners repeat.
    [[nodiscard]] std::int64_t repeats_after() const;
    /// The first cycle from `cycle` on that is in a time slot of the warp slot. The time slot 0
    /// begins in the cycle 0. `Unit:` core cycles.
    [[nodiscard]] std::int64_t next_own(std::int64_t warp_slot, std::int64_t cycle) const;
    /// Cycles in which a run may start, from 0 on, that differ in more than names of warp slots:
    /// where all have warps, the fast one and `every` time slots tell all starts apart (S30).
    [[nodiscard]] std::int64_t different_starts() const;
};

/// Of each scheduler that has a warp when this many blocks are resident.
std::vector<SchedulerSlots> slots_of_schedulers(const models::WarpPolicy& policy,
                                                const LaunchGeometry& launch, std::int64_t blocks);

/// Those of the warp slots that the first `blocks` blocks of a multiprocessor take, in increasing
/// order, each once; none unless the policy is time-division.
std::vector<SlotDistance> distances_of_warp_slots(const models::WarpPolicy& policy,
                                                  const LaunchGeometry& launch,
                                                  std::int64_t blocks);
/// From the shortest to the longest of all. Requires: some.
SlotDistance any_distance(const std::vector<SlotDistance>& distances);
/// What ids of certificates about such time slots end in: "-slot-distance-8",
/// "-slot-distance-6-8".
std::string certificate_suffix(const SlotDistance& distance);

} // namespace warpbound::certification::verify
