#pragma once
/// \file
/// Schedule exploration under time division, for schedulers that wait for each other at ports of
/// the multiprocessor or at its write buffer: an exhaustive search of the joint state space with
/// every order of issue within a cycle.

#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "models/bounds.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

struct ExploredTimes {
    models::Bounds<models::Cycles> times;
    std::int64_t steps = 0; ///< Cycles and issues.
    /// By which all states in which the order of issue within a cycle matters are told apart.
    std::int64_t numbers = 0;
};

/// Least and largest execution time of blocks that start together on one multiprocessor (some of
/// its warp slots may be empty), over all phases of the slots of each scheduler and all orders of
/// issue within a cycle. `launches`: how many launches are explored for one result. `Unit:` core
/// cycles. Side: both, and both are attained. Sound under time division (docs/theory, S30).
/// None when warps have more than one path, wait at barriers, issue twice in a cycle or access the
/// caches, in several waves, when a relevant value is not exact, after the deadline, or when there
/// are too many states or steps. Requires: no access waits for others in the memory system.
std::optional<ExploredTimes> explored_times(const TimedKernel& kernel,
                                            const ScheduledLaunch& launch, Deadline deadline,
                                            std::int64_t launches);

} // namespace warpbound::analyzer
