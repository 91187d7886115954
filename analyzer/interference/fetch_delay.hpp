#pragma once
/// \file
/// What the instruction caches delay the critical path of a launch, as terms of an upper bound
/// (docs/theory, S35, S36, S84 and S96).

#include "analyzer/bound.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Where the critical path may be: after the start of the last of several waves it may be on
/// another multiprocessor (S20). It changes the warp at barriers and with the block.
struct Visited {
    std::int64_t multiprocessors = 1;
    std::int64_t schedulers = 1; ///< Of all these multiprocessors.
    /// Of one of them, before one of its blocks has ended (S96).
    std::int64_t before_an_end = 1;
    /// With two of them: schedulers of the first one up to the start of the last block, and of the
    /// other one from then on.
    std::int64_t before_last = 0;
    std::int64_t from_last = 0;
};
/// `barriers`: the most that a block passes.
Visited visited_by_critical_path(const ScheduledLaunch& launch, std::int64_t barriers);

/// The same for a path of any number of blocks: all schedulers.
Visited all_visited(const LaunchGeometry& shape);

/// Beyond the waits that gaps contain. Side: upper. Refuses a guarded barrier, naming it. Requires:
/// instruction caches are described.
Result<std::vector<BoundTerm>> fetch_delay(const TimedKernel& kernel,
                                           const ScheduledLaunch& launch);
/// What a path adds that visits all schedulers. Of a launch without barriers. `Unit:` core cycles.
/// Side: upper. 0 without instruction caches. Requires: lines are persistent in the L0, or never
/// missed.
std::int64_t further_fetch_delay(const TimedKernel& kernel, const ScheduledLaunch& launch);

} // namespace warpbound::analyzer
