#pragma once
/// \file
/// Schedules under time division that follow from the cycle in which the run starts (step S17,
/// lemma 6, of docs/theory).

#include "certification/verify/policies/issue_rules.hpp"
#include "certification/verify/policies/slot_table.hpp"
#include "models/bounds.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::certification::verify {

/// From the least end of an interval to the largest one. `Unit:` core cycles.
using TimeRange = models::Bounds<models::Cycles>;

/// Least and largest completion of warps of one path, of which no scheduler's depend on those of
/// another one. The largest is over all starts in a TDMA period and all schedulers, the least is
/// over all starts, for the scheduler where that is largest. Side: both. None where the cycle of an
/// issue does not follow from the start. `issues_left`: becomes so much smaller, and negative where
/// it does not suffice; then the result is none, too. Requires: no store, no barrier between warps.
std::optional<TimeRange> time_in_own_slots(const TimedCode& code,
                                           const std::vector<IssueStep>& path,
                                           const std::vector<SchedulerSlots>& schedulers,
                                           std::int64_t& issues_left);

} // namespace warpbound::certification::verify
