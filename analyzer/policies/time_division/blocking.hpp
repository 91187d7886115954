#pragma once
/// \file
/// Blocking under time division: slots in which only instructions of other warps prevent a warp
/// from issuing (docs/theory, S17).

#include "analyzer/policies/time_division/blocked_slots.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::analyzer {

/// Blocked slots of a warp, or of a critical path. Side: upper.
struct SlotBlocking {
    BlockedTime by_ports; ///< A port is occupied.
    BlockedTime by_reads; ///< The stages in front of the units hold the warp.
    /// The write buffer is full: slots, and the length of one.
    std::int64_t by_stores = 0;
    std::int64_t slot_of_store = 1;
    /// Once, where the critical path changes the multiprocessor: by what other blocks left behind.
    std::int64_t left_by_ports = 0;
    std::int64_t left_by_reads = 0;
};

/// In one wave: by slot distance, the blocking of warps with that distance.
std::map<SlotDistance, SlotBlocking> blocking_by_distance(const TimedKernel& kernel,
                                                          const ScheduledLaunch& launch);
/// For a critical path that changes its warp slot: at the barriers of a block (`barriers` in a
/// wave), or in several waves. `distances`: slot distances of its warp slots.
SlotBlocking blocking_of_any_slot(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                  const std::vector<SlotDistance>& distances,
                                  std::int64_t barriers);

} // namespace warpbound::analyzer
