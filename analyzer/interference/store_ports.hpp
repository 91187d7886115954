#pragma once
/// \file
/// Stores that hold the port of their unit for no longer than they take to drain: both count once
/// (docs/theory, S52).

#include "analyzer/launch/memory_path.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"

namespace warpbound::analyzer {

/// `kernel`, in which such stores hold no port. Requires: the drains of all stores are counted.
/// Side: upper.
TimedKernel without_ports_of_stores(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                    const MemoryPath& memory);

} // namespace warpbound::analyzer
