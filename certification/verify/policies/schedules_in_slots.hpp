#pragma once
/// \file
/// The times of all schedules of a launch under time division (steps S17, lemma 6, and S30 of
/// docs/theory), which are stepped again.

#include "certification/verify/policies/deterministic_schedules.hpp"

#include <optional>

namespace warpbound::certification::verify {

/// Least and largest time over all starts in a TDMA period and all distributions of blocks. Side:
/// both. None where warps may take several paths, wait for more than slots, ports and what they
/// begin, or come in several waves. Throws `Finding` where there are more schedules than are
/// stepped. Requires: a time-division policy.
std::optional<TimeRange> times_of_schedules(const TimedCode& code);

} // namespace warpbound::certification::verify
