#pragma once
/// \file
/// Queueing delay of a launch at caches, links and DRAM as a sum of certified path bounds
/// (docs/theory, S26, in time slots S29). It may be looser than `queueing_delay`: of the
/// addresses it uses only the number of transactions.

#include "analyzer/launch/memory_path.hpp"
#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/scheduled_launch.hpp"

namespace warpbound::analyzer {

/// Terms to add to an upper bound of `unloaded` cycles that contains no queueing delay; keeps their
/// certificates, if any are kept. Side: upper. Requires: `memory.caches`; no `memory.footprint`.
std::vector<BoundTerm> certify_queueing_delay(const TimedKernel& kernel,
                                              const ScheduledLaunch& launch,
                                              const MemoryPath& memory, const AnalysisRun& run,
                                              models::Cycles unloaded);

} // namespace warpbound::analyzer
