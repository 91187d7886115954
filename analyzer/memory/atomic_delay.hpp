#pragma once
/// \file
/// Queueing delay of global atomics at the slices of the L2 (docs/theory, S34).

#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/scheduled_launch.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Whether an atomic of the launch may have to wait for another one, or may take longer at its
/// slice than its latency. It may not where the port of the only multiprocessor keeps all atomics
/// far enough apart.
bool atomics_may_wait(const TimedKernel& kernel, const LaunchGeometry& shape);

/// Terms to add to an upper bound in which no atomic waits; keeps their certificates, if the
/// run keeps certificates. Side: upper. Requires: `atomics_may_wait`.
std::vector<BoundTerm> atomic_delay(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                    const AnalysisRun& run);

} // namespace warpbound::analyzer
