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

    [[nodiscard]] SlotDistance distance(std::int64_t warp_slot) const;
    /// The warp slot that owns it. Requires: several warp slots.
    [[nodiscard]] std::int64_t owner(std::int64_t time_slot) const;
    /// Time slots after which owners repeat.
    [[nodiscard]] std::int64_t repeats_after() const;
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
