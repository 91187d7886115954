#pragma once
/// \file
/// What the upper bounds of a launch are made from: what one warp waits for, and what it costs
/// others.

#include "analyzer/bound.hpp"
#include "models/launch/counts.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Text of the term of S82.
inline constexpr const char* refill_beyond_drains =
    "replacement and start of a block, beyond the stores that drain meanwhile";

/// A limit for barrier intervals that several schedulers see: what lies within it counts for each
/// change of the critical path, what lies beyond it for each warp (docs/theory, S85). `Unit:` core
/// cycles. Side: upper.
struct IntervalLimit {
    std::int64_t within = 0;
    std::int64_t beyond = 0; ///< Of a warp, the sum over its barrier intervals.
};

/// Demand of the warps of a block, each by the indices of its threads (docs/theory, S85). `Unit:`
/// core cycles. Side: upper.
struct BlockDemand {
    /// Time of a warp in isolation, less its own demand where no guard holds.
    std::int64_t stall = 0;
    std::int64_t ports = 0;         ///< Of all warps, on ports of the multiprocessor.
    std::int64_t ports_of_warp = 0; ///< Of the warp with the largest such demand.
    /// Of a warp on its own scheduler, beyond ports of the multiprocessor.
    std::int64_t excess = 0;
    std::int64_t drain = 0; ///< Of the stores of all warps.
    /// As `Interference::drained_in_refill`. Side: lower.
    std::int64_t drained_in_refill = 0;
    std::vector<IntervalLimit> limits; ///< Alternatives: at least one. The first has no `beyond`.
    std::vector<WarpDemand> warps;     ///< Of each warp, what `ports` and `drain` sum up.
    bool is_certified = true;          ///< Certificates are kept, or can be.
};

/// Interference that one warp causes or suffers. `Unit:` core cycles. Side: upper.
struct Interference {
    /// Number of warps in the rotation of a scheduler under loose round robin; 0: the bound does
    /// not use the rotation. With a rotation, `stall` contains one turn of every other warp before
    /// each choice of the critical path, and the demands contain only what ends a turn without a
    /// choice (docs/theory, S27).
    models::Warps rotation_warps{0};
    std::int64_t stall = 0; ///< Time of a warp in isolation, less its own demand.
    /// The largest such difference at any instruction of a path; none: not known (docs/theory,
    /// S74).
    std::optional<std::int64_t> prefix_stall{};
    std::int64_t own_scheduler = 0;    ///< Demand of a warp on its own scheduler.
    std::int64_t other_schedulers = 0; ///< Demand of a warp on other schedulers.
    /// Largest excess, within one barrier interval, of the demand on the own scheduler over the
    /// demand on other schedulers.
    std::int64_t barrier_interval = 0;
    std::int64_t drain = 0; ///< Drain time of the stores of a warp.
    /// Two-level: number of warps in the active set of a scheduler; further ready warps wait
    /// outside (docs/theory, S31). 0: every ready warp is in the active set.
    models::Warps active_set_size{0};
    std::int64_t within_active_set = 0;  ///< Time that a warp waits within the active set.
    std::int64_t residual_occupancy = 0; ///< Occupancy of ports by a warp beyond its issue slots.
    std::int64_t carry_in = 0;           ///< Demand of one instruction that issued earlier.
    /// Intervals of the critical path in one block: in each it stays in one warp. Barriers separate
    /// them.
    std::int64_t intervals_of_block = 1;
    /// How often, in one block, the critical path may go over to another warp because a warp ends
    /// that would have been the last one to come to a barrier.
    std::int64_t early_ends_of_block = 0;
    /// Drains of stores, among those of all warps, that no critical path waits for while a block
    /// slot is refilled (docs/theory, S82). Side: lower.
    std::int64_t drained_in_refill = 0;
    /// Drain time of a full write buffer that no store enters; on a path without warps that end
    /// before a barrier, as far as it is longer than the refill of the last block (docs/theory,
    /// S82).
    std::int64_t left_in_buffer = 0;
    /// With `prefix_stall`: waits for lines of instructions at schedulers that a path with one
    /// block in each wave need not visit.
    std::int64_t further_fetches = 0;
    std::optional<BlockDemand> by_warp{}; ///< None: not known.

    [[nodiscard]] bool counts_rotations() const { return rotation_warps > models::Warps{0}; }
    [[nodiscard]] bool has_active_set() const { return active_set_size > models::Warps{0}; }
};

} // namespace warpbound::analyzer
