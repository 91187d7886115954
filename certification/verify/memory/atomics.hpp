#pragma once
/// \file
/// Global atomics that wait for each other at a slice of the L2 (rule C57, step S34 of
/// docs/theory).

#include "certification/verify/interference/certificate_values.hpp"

#include <vector>

namespace warpbound::certification::verify {

/// Whether an atomic on a path can be served later, or for longer, than its latency says. It cannot
/// where one port passes all atomics of the launch, each use of which lasts as long as the atomic
/// is served.
bool atomics_can_wait(const TimedCode& code);

/// Per instruction: its time at a slice; and in time slots one wait of up to `longest_distance`.
DemandTables atomic_demand_of(const TimedCode& code, std::int64_t longest_distance);

/// The terms of the waits of the whole launch. Side: upper.
std::vector<Term> atomic_terms_of(const TimedCode& code, bool time_division);

} // namespace warpbound::certification::verify
