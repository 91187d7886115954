#pragma once
/// \file
/// Bounds under time division as sums of certified path bounds and of numbers of the launch
/// (docs/theory, S23). Queueing delay at the caches is added separately.

#include "analyzer/policies/time_division/own_delay.hpp"
#include "analyzer/policies/time_division/queue_slots.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Side: upper. Keeps the certificates of the terms, if any are kept. `paths`: the longest paths in
/// time slots.
SideAnswer time_division_with_evidence(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                       const AnalysisRun& run, const TimeDivisionPath& critical,
                                       const QueueSlots& queue,
                                       const std::vector<PathInSlots>& paths);

} // namespace warpbound::analyzer
