#pragma once
/// \file
/// Barrier intervals: between which barriers of its block a warp executes an instruction
/// (docs/theory, S17).

#include "analyzer/launch/path_bound.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// The execution of a block, divided at the barriers at which its warps synchronize.
struct BarrierIntervals {
    /// Whether an instruction may execute in an interval. `Shape:` executes[interval][instruction].
    std::vector<std::vector<bool>> executes;
    /// Least time from the last arrival at a barrier to the next interval. `Unit:` core cycles.
    std::int64_t least_barrier_latency = 0;
};

/// None when a barrier lies in a loop, or paths pass a barrier unequally often. `barriers`: number
/// of barrier executions of a path (`barriers_of_block`).
std::optional<BarrierIntervals>
barrier_intervals(const TimedKernel& kernel, const LaunchGeometry& shape, std::int64_t barriers);

/// Path problem whose paths incur costs in one barrier interval only: between two consecutive
/// barriers, before the first, or after the last one. Its longest path bounds the cost of every
/// interval, also of a loop that contains barriers. A node is a block and a stage: before, within
/// or after the interval. Side: upper.
PathGraph barrier_interval_paths(const TimedKernel& kernel,
                                 const std::vector<std::int64_t>& instruction_costs);

/// Path problem whose paths incur, in each barrier interval, its costs less `limit`, or nothing:
/// the longest path takes what each interval costs beyond the limit (docs/theory, S85). A node is a
/// block and whether its interval counts. Side: upper.
PathGraph intervals_beyond(const TimedKernel& kernel,
                           const std::vector<std::int64_t>& instruction_costs, std::int64_t limit);

} // namespace warpbound::analyzer
