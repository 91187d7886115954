#pragma once
/// \file
/// Time-division scheduling (`variable-rate`): warps issue only in their own time slots.

#include "analyzer/policies/policy.hpp"

namespace warpbound::analyzer {

/// Refuses what `barriers_without_early_ends` refuses. From above: own delay with blocked slots
/// where they lie; from below the shortest path in the slots of a warp slot. On both sides the
/// schedules, where all of them can be simulated or explored (docs/theory, S17, S23 and S30).
const Policy& time_division();

} // namespace warpbound::analyzer
