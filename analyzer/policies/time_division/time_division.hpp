#pragma once
/// \file
/// Time-division scheduling (`variable-rate`): warps issue only in their own time slots.

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Side: upper. Sound under time division (docs/soundness.md, S17). Refuses
/// what `barriers_without_early_ends` refuses.
Result<SideAnswer> bound_time_division_from_above(const AnalysisContext& launched,
                                                  Deadline deadline);

/// Side: lower. The largest of `answer`, which is the lower bound of any policy, the shortest path
/// in the slots of a warp slot, and the time of the fastest schedule, if all schedules were
/// simulated or explored.
Result<SideAnswer> bound_time_division_from_below(const AnalysisContext& context, SideAnswer answer,
                                                  Deadline deadline);

} // namespace warpbound::analyzer
