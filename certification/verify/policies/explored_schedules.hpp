#pragma once
/// \file
/// Schedules under time division in which schedulers contend for ports of the multiprocessor or for
/// its write buffer: an acyclic graph of what they come to (step S30 of docs/theory).

#include "certification/verify/policies/deterministic_schedules.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// How much may still be explored; negative: more would be needed.
struct ExplorationLimit {
    std::int64_t issues = 0;
    std::int64_t numbers = 0; ///< That tell apart the states in which it matters who is first.

    [[nodiscard]] bool is_passed() const { return issues < 0 || numbers < 0; }
};

/// Least and largest completion of warps of one path, over all starts in a TDMA period and all
/// orders of issue within a cycle. Side: both, and both are attained. None where a value that
/// counts is an interval, or the limit is passed. Requires: no barrier between warps, no access
/// through caches.
std::optional<TimeRange> time_in_any_order(const TimedCode& code,
                                           const std::vector<IssueStep>& path,
                                           const std::vector<SchedulerSlots>& schedulers,
                                           ExplorationLimit& left);

} // namespace warpbound::certification::verify
