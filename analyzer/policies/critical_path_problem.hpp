#pragma once
/// \file
/// What the upper bounds of a launch under policies that conserve work have in common (docs/theory,
/// S11).

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/unawaited_drains.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "analyzer/policies/demand.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

/// Input that all upper bounds of a launch have in common.
struct CriticalPathProblem {
    const TimedKernel& kernel;
    const ScheduledLaunch& launch;
    PipelinePair pipelines;
    PathGraph paths;
    BlockBarriers barriers;
    std::optional<UnawaitedDrains> unawaited; ///< None: not known.
    bool through_caches = false;              ///< Some accesses go through them.
};

/// What the time of a warp contains of its own demand, which the demand of all warps contains, too.
InstructionCosts own_demand(const TimedKernel& kernel, const LaunchGeometry& shape,
                            const Demand& demand);

/// Path problem of the time of a warp, less its own demand.
PathGraph less_own_demand(const TimedKernel& kernel, const LaunchGeometry& shape,
                          const Demand& demand, PathGraph paths);

/// The largest cost of an instruction; 0 where there are none.
std::int64_t largest(const InstructionCosts& costs);

} // namespace warpbound::analyzer
