#pragma once
/// \file
/// The geometry of a launch: its blocks and warps, and how many are resident on a multiprocessor
/// (rules C20, C30, C31 and C98 of docs/reference/timing-contract.md).

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/launch.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

struct LaunchGeometry {
    std::int64_t blocks = 1;
    std::int64_t warps_per_block = 1;
    /// Most co-resident blocks of a multiprocessor: the occupancy limit, or an even share (C98).
    std::int64_t resident = 1;
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

    [[nodiscard]] std::int64_t warps() const { return blocks * warps_per_block; }
    /// Of so many warps with consecutive indices, the most on one scheduler.
    [[nodiscard]] std::int64_t on_one_scheduler(std::int64_t warps) const {
        return (warps + schedulers - 1) / schedulers;
    }
    /// Block slots of all multiprocessors.
    [[nodiscard]] std::int64_t block_slots() const { return multiprocessors * resident; }
    /// Blocks that a block slot runs one after the other when all run equally many.
    [[nodiscard]] std::int64_t waves() const {
        return (blocks + block_slots() - 1) / block_slots();
    }
    /// Least number of blocks of the multiprocessor that runs most.
    [[nodiscard]] std::int64_t share() const {
        return (blocks + multiprocessors - 1) / multiprocessors;
    }
    /// In several waves: warps of the blocks that run at the same time as the critical path up to
    /// the start of the last block, and of those that then run where it ends (docs/theory,
    /// S20).
    [[nodiscard]] std::int64_t warps_along_critical_path() const {
        return std::min(blocks, (blocks - 1) / multiprocessors + resident) * warps_per_block;
    }
    /// Least number of blocks that start at once on the multiprocessor with most of them.
    [[nodiscard]] std::int64_t min_initial_on_fullest() const {
        return std::min(resident, share());
    }
    /// Least number of blocks that start on any multiprocessor when all blocks start at once.
    [[nodiscard]] std::int64_t min_initial_on_each() const {
        return std::max<std::int64_t>(0, blocks - (multiprocessors - 1) * resident);
    }
    /// One multiprocessor with the same occupancy limit, on which so many blocks start at once.
    [[nodiscard]] LaunchGeometry one_multiprocessor(std::int64_t blocks_at_start) const {
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
