#pragma once
/// \file
/// How many slots of a warp pass at which it may issue but for instructions of others
/// (docs/soundness.md, S17).

#include "analyzer/policies/time_division/blocked_slots.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::analyzer {

/// Points of a warp that are lost: a port is taken, or the write buffer is full. Side: upper.
struct SlotBlocking {
    std::int64_t to_ports = 0;
    std::int64_t to_stores = 0;
    std::int64_t cycles = 1; ///< That each counts.
};

/// Cycles that a store takes of a chain of warps at most that wait for the write buffer, in slots
/// as far apart as one of `places` says (S23): a slot, and those that pass while it drains.
std::int64_t blocking_of_store(std::int64_t drain, const std::vector<SlotDistance>& places);

/// In one wave: for every distance between slots, of the warps whose slots are so far apart.
std::map<SlotDistance, SlotBlocking> blocking_by_distance(const AnalysisContext& context);
/// Where the chain changes its place, in cycles: at barriers of a block, of which it passes so many
/// in a wave, or in several waves. Its slots are as far apart as one of `distances` says.
SlotBlocking blocking_of_any_slot(const AnalysisContext& context,
                                  const std::vector<SlotDistance>& distances,
                                  std::int64_t barriers);

} // namespace warpbound::analyzer
