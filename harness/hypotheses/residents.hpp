#pragma once
/// \file
/// The blocks on an SM at a time, their demand, and the names of blocks in counter-examples.

#include "harness/hypotheses/observed_workload.hpp"

#include <map>

namespace warpbound::harness::hypotheses {

enum class Resource { BlockSlots, Registers, Threads, SharedMemory };

/// What a block of the launch takes; none: unknown.
std::optional<std::int64_t> demand_of(const ObservedOperation& launch, Resource resource);
/// What an SM has; none: unknown.
std::optional<std::int64_t> limit_of(const MultiprocessorLimits& limits, Resource resource);

/// Whether a block of the launch surely fits on an SM on which it or another one ran, beside all
/// blocks that may be resident at `at`: an SM without any, or all demands and limits are known.
bool fits_beside_residents(const ObservedWorkload& workload, const ObservedOperation& launch,
                           std::int64_t at);

/// "block 3 of 'K1' on SM 0 began"
std::string first_block(const ObservedOperation& launch);
std::string last_dispatched(const ObservedOperation& launch);

} // namespace warpbound::harness::hypotheses
