#pragma once
/// \file
/// What the warps of a block demand, each by the indices of its threads (S85): some execute less
/// than the longest path.

#include "analyzer/interference/instruction_costs.hpp"
#include "analyzer/interference/interference.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <optional>

namespace warpbound::analyzer {

/// `stall` of the demand is not set yet.
struct DemandByWarp {
    BlockDemand demand;
    /// Per instruction: of its warp on the own scheduler, whether its guard holds or not. Side:
    /// lower.
    InstructionCosts own;
    /// Per instruction: beyond ports of the multiprocessor, whether its guard holds or not.
    InstructionCosts excess;
};

/// The costs are those of a warp, whichever it is. None where it is not known how often warps
/// execute instructions, or instructions wait in memory queues. Requires: a policy that conserves
/// work. `Unit:` core cycles. Side: upper.
std::optional<DemandByWarp> demand_by_warp(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                           const InstructionCosts& own_scheduler,
                                           const InstructionCosts& other_schedulers,
                                           const InstructionCosts& drain);

} // namespace warpbound::analyzer
