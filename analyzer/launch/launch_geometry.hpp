#pragma once
/// \file
/// The geometry of a launch: its blocks and warps, and how many are resident on a multiprocessor
/// (rules C20, C30, C31 and C98 of docs/reference/timing-contract.md).

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/counts.hpp"
#include "models/launch/launch.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

struct LaunchGeometry {
    models::ThreadBlocks blocks{1};
    models::Warps warps_per_block{1};
    /// Most co-resident blocks of a multiprocessor: the occupancy limit, or an even share (C98).
    models::ThreadBlocks resident{1};
    bool shares_evenly = false; ///< `resident` is the share of the blocks that all start at once.
    std::int64_t multiprocessors = 1;
    /// Registers of a thread and shared memory of a block, as far as the launch or the listing
    /// states them; what is not stated is assumed not to limit the resident blocks.
    std::optional<std::int64_t> registers{};
    std::optional<std::int64_t> shared_memory{};
    /// Shared memory is that of the listing: dynamic shared memory is assumed to be 0.
    bool static_shared_memory = false;
    std::int64_t schedulers = 1;          ///< Of a multiprocessor.
    models::Interval issue_slot{1, 1, 1}; ///< `Unit:` core cycles.
    /// From the end of a block to the first issue of the block that takes its block slot; 0 when
    /// there is none. `Unit:` core cycles.
    models::Interval refill{0, 0, 0};
    std::int64_t threads_per_block = 32;

    [[nodiscard]] models::Warps warps() const { return blocks * warps_per_block; }
    [[nodiscard]] bool has_one_warp() const { return warps() == models::Warps{1}; }
    [[nodiscard]] bool has_one_block() const { return blocks == models::ThreadBlocks{1}; }
    /// Every block has one warp only.
    [[nodiscard]] bool has_single_warp_blocks() const {
        return warps_per_block == models::Warps{1};
    }
    /// Most co-resident warps of a multiprocessor.
    [[nodiscard]] models::Warps most_resident_warps() const { return resident * warps_per_block; }
    /// Schedulers of a multiprocessor that have warps when it is full.
    [[nodiscard]] std::int64_t schedulers_in_use() const {
        return std::min(schedulers, most_resident_warps().count());
    }
    /// Of so many warps with consecutive indices, the most on one scheduler.
    [[nodiscard]] models::Warps on_one_scheduler(models::Warps warps) const {
        return divide_up(warps, schedulers);
    }
    /// Block slots of all multiprocessors.
    [[nodiscard]] models::ThreadBlocks block_slots() const { return resident * multiprocessors; }
    /// Blocks that a block slot runs one after the other when all run equally many.
    [[nodiscard]] std::int64_t waves() const { return divide_up(blocks, block_slots()); }
    /// Least number of blocks of the multiprocessor that runs most.
    [[nodiscard]] models::ThreadBlocks share() const { return divide_up(blocks, multiprocessors); }
    /// Most blocks that began before the last one, on the multiprocessor where the fewest did.
    [[nodiscard]] models::ThreadBlocks begun_before_last() const {
        return (blocks - models::ThreadBlocks{1}) / multiprocessors;
    }
    /// In several waves: warps of the blocks that run at the same time as the critical path up to
    /// the start of the last block, and of those that then run where it ends (docs/theory,
    /// S20).
    [[nodiscard]] models::Warps warps_along_critical_path() const {
        return std::min(blocks, begun_before_last() + resident) * warps_per_block;
    }
    /// Least number of blocks that start at once on the multiprocessor with most of them.
    [[nodiscard]] models::ThreadBlocks min_initial_on_fullest() const {
        return std::min(resident, share());
    }
    /// Least number of blocks that start on any multiprocessor when all blocks start at once.
    [[nodiscard]] models::ThreadBlocks min_initial_on_each() const {
        return std::max(models::ThreadBlocks{0}, blocks - resident * (multiprocessors - 1));
    }
    /// One multiprocessor with the same occupancy limit, on which so many blocks start at once.
    [[nodiscard]] LaunchGeometry one_multiprocessor(models::ThreadBlocks blocks_at_start) const {
        LaunchGeometry one = *this;
        one.blocks = blocks_at_start;
        one.multiprocessors = 1;
        return one;
    }
    /// One multiprocessor with as many blocks as its occupancy limit.
    [[nodiscard]] LaunchGeometry full_multiprocessor() const {
        return one_multiprocessor(resident);
    }
};

/// Refuses a block that does not fit, more multiprocessors than there are, and a description that
/// lacks what the launch needs, naming it.
Result<LaunchGeometry> launch_geometry(const models::Launch& launch,
                                       const assembly::Function& function,
                                       const models::Architecture& architecture,
                                       std::int64_t multiprocessors = 1);

} // namespace warpbound::analyzer
