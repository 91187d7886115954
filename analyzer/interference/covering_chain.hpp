#pragma once
/// \file
/// Several waves of thread blocks without barriers: the time of a multiprocessor covered by blocks
/// that remain on one scheduler where they can (docs/theory, S74).

#include "analyzer/bound_expression.hpp"
#include "analyzer/interference/interference.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Whether S74 holds of the launch: it has several waves and no barriers, every policy's choice
/// counts as demand, and what else delays the launch does not count blocks on a critical path.
/// Requires: no access goes through the caches.
bool may_cover_by_chain(const TimedKernel& kernel, const ScheduledLaunch& launch,
                        const Interference& cost);

/// The parts of a chain that begins with at most so many block starts, where the chain costs most.
struct CoveringChain {
    std::int64_t kept = 0;    ///< Parts that end in a warp of the scheduler that follows.
    std::int64_t changed = 0; ///< Parts after which the chain changes to another scheduler.

    friend bool operator==(const CoveringChain&, const CoveringChain&) = default;
};

/// What a part of a chain costs, beyond what each block demands of one scheduler. `Unit:` core
/// cycles. Side: upper.
struct ChainCosts {
    std::int64_t kept = 0;
    std::int64_t changed = 0;
};

/// The costliest chain of `starts` block starts; of equal ones that which changes its scheduler the
/// least often. A part that keeps its scheduler takes `alive` of them, one that changes it
/// `resident`. Requires: `starts` and costs are at least 0, the others at least 1.
CoveringChain costliest_chain(models::ThreadBlocks starts, models::ThreadBlocks alive,
                              models::ThreadBlocks resident, const ChainCosts& costs);

/// The least of the sums for every rule when to change the scheduler. Side: upper. Sound when: the
/// policy is work-conserving, no block passes a barrier, and `cost.prefix_stall` is known.
/// Requires: several waves. Throws `std::overflow_error` beyond 2^63.
BoundExpression sum_of_covering_chain(const LaunchGeometry& shape, const Interference& cost);
/// Whether it is the sum of a chain, which rests on `prefix_stall` even where that is 0.
bool is_of_covering_chain(const BoundExpression& sum);

} // namespace warpbound::analyzer
