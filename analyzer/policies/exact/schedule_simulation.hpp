#pragma once
/// \file
/// Simulation of deterministic schedules: the policy fixes the order of issues, except for the slot
/// in which a run under time division starts.

#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "models/bounds.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

/// Least and largest execution time of blocks that start together on one multiprocessor (some of
/// its warp slots may be empty), over all cycles of a TDMA period in which each scheduler may
/// start. `launches`: how many launches are simulated for one result. `Unit:` core cycles. Side:
/// both. Sound under time division (docs/theory, S17, deterministic schedules). None when
/// warps have more than one path, when schedulers wait for each other (stores, barriers, ports of
/// the multiprocessor, several waves), when the cycle of an issue depends on a value that is not
/// exact, or when there are too many steps.
std::optional<models::Bounds<models::Cycles>>
simulated_times(const TimedKernel& kernel, const ScheduledLaunch& launch, std::int64_t launches);

/// The time of `warps` warps of one scheduler in strict round robin, if no port of the
/// multiprocessor and no write buffer delays them by warps of other schedulers. `Unit:` core
/// cycles. Side: `side`. Sound in one wave under `srr` (docs/theory, S25). None when warps
/// have more than one path (upper side: except early exits), wait at barriers or issue twice in a
/// cycle, or when there are too many steps.
std::optional<models::Cycles> time_in_strict_order(const TimedKernel& kernel,
                                                   const models::Interval& issue_slot,
                                                   models::Warps warps, Side side);

} // namespace warpbound::analyzer
