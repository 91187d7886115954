#pragma once
/// \file
/// Queueing delay of a launch at caches, links and DRAM, beyond the unloaded latencies
/// (docs/theory, S21).

#include "analyzer/bound.hpp"
#include "analyzer/launch/memory_path.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "models/units.hpp"

#include <string>
#include <vector>

namespace warpbound::analyzer {

/// What tells the alternative apart from others.
std::string text_of(QueueingRules rules);
/// The alternatives that addresses and description allow. Requires: `memory.caches`.
std::vector<QueueingRules> queueing_rules(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                          const MemoryPath& memory);

/// The kernel without queueing delay, with the latencies that `rules` assume.
TimedKernel without_queueing(const TimedKernel& kernel, const ScheduledLaunch& launch,
                             const MemoryPath& memory, QueueingRules rules);
/// Terms to add to an upper bound of `unloaded` cycles of that kernel. Side: upper.
std::vector<BoundTerm> queueing_delay(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                      const MemoryPath& memory, QueueingRules rules,
                                      models::Cycles unloaded);

} // namespace warpbound::analyzer
