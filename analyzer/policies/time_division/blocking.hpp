#pragma once
/// \file
/// Blocking under time division: slots in which only instructions of other warps prevent a warp
/// from issuing (docs/theory, S17).

#include "analyzer/policies/time_division/blocked_slots.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::analyzer {

/// Blocked slots of a warp. Side: upper.
struct SlotBlocking {
    std::int64_t by_ports = 0;  ///< A port is occupied.
    std::int64_t by_stores = 0; ///< The write buffer is full.
    std::int64_t by_reads = 0;  ///< The stages in front of the units hold the warp.
    std::int64_t cycles = 1;    ///< Length of one.
};

/// By instruction: for how long it occupies the port of its unit. Side: upper.
std::vector<ResourceOccupancy> port_occupancies(const TimedKernel& kernel);

/// Longest time for which one store blocks a critical path that waits for the write buffer, with
/// the slot distances `distances` (S23): one slot, and the slots that elapse while the store
/// drains.
std::int64_t blocking_of_store(std::int64_t drain, const std::vector<SlotDistance>& distances);

/// In one wave: by slot distance, the blocking of warps with that distance.
std::map<SlotDistance, SlotBlocking> blocking_by_distance(const TimedKernel& kernel,
                                                          const ScheduledLaunch& launch);
/// For a critical path that changes its warp slot: at the barriers of a block (`barriers` in a
/// wave), or in several waves. The results count cycles. `distances`: slot distances of its warp
/// slots.
SlotBlocking blocking_of_any_slot(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                  const std::vector<SlotDistance>& distances,
                                  std::int64_t barriers);

} // namespace warpbound::analyzer
