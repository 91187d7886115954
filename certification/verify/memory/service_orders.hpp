#pragma once
/// \file
/// Orders in which servers of the memory system handle line accesses: the assumptions of steps
/// S22a, S22c, S22d and S57 of docs/theory.

#include "certification/verify/memory/full_resources.hpp"

#include <string_view>
#include <vector>

namespace warpbound::certification::verify {

/// S22a: whether slices handle transactions in the order of the L1.
bool are_slices_in_order(const MemoryLayout& layout, const LaunchVolume& volume);

/// S75: whether the traces of S22a hold with hand-overs in place of issues. Without memory queues
/// they need no hand-overs.
bool follows_hand_overs(const MemoryLayout& layout, const LaunchVolume& volume);

/// The first assumption of S22c that does not hold: transfers come to their channels load by load.
/// Empty: all hold.
std::string_view missing_for_transfers_in_order(const MemoryLayout& layout,
                                                const LaunchVolume& volume,
                                                const FullResources& resources,
                                                const std::vector<CodeLoad>& loads);

} // namespace warpbound::certification::verify
