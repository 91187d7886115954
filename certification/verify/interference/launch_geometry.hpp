#pragma once
/// \file
/// Blocks, warps and waves of a launch on its multiprocessors, read from launch and description
/// (rules C20, C30, C31 and C98 of docs/reference/timing-contract.md).

#include "certification/verify/evidence.hpp"
#include "models/architecture/architecture.hpp"
#include "models/units.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

struct LaunchGeometry {
    std::int64_t blocks = 1; ///< N.
    std::int64_t warps_per_block = 1;
    std::int64_t warps = 1;
    std::int64_t multiprocessors = 1; ///< M.
    std::int64_t block_slots = 1;     ///< R: blocks that one multiprocessor holds at the same time.
    std::int64_t schedulers = 1;      ///< Of a multiprocessor.
    std::int64_t waves = 1;           ///< q: least number of blocks that some block slot executes.
    models::Interval issue_slot{1, 1, 1};
    /// From the end of a block to the first issue of its successor in the block slot (replacement
    /// and start); 0 with one wave. `Unit:` core cycles.
    models::Interval refill{0, 0, 0};

    /// Warps of a full multiprocessor.
    [[nodiscard]] std::int64_t resident_warps() const {
        return models::times(block_slots, warps_per_block);
    }
    /// Warps that may delay each other: with one wave those of one multiprocessor, else all.
    [[nodiscard]] std::int64_t interfering_warps() const {
        return waves == 1 ? block_slots * warps_per_block : warps;
    }
    /// Of `count` warps with successive indices, the most that one scheduler has.
    [[nodiscard]] std::int64_t per_scheduler(std::int64_t count) const {
        return (count + schedulers - 1) / schedulers;
    }
    /// k: blocks that some multiprocessor has begun, at most, when the last block is dispatched
    /// (S20).
    [[nodiscard]] std::int64_t blocks_before_last() const { return (blocks - 1) / multiprocessors; }
};

/// Throws `Finding` when no block fits, the machine has fewer multiprocessors, or the description
/// lacks what the launch needs.
LaunchGeometry read_launch_geometry(const KernelCase& kernel);

/// The same launch with fewer thread blocks.
LaunchGeometry only_blocks(LaunchGeometry launch, std::int64_t blocks);

} // namespace warpbound::certification::verify
