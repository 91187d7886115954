#pragma once
/// \file
/// How a launch sits on its multiprocessors (rules C20, C30 and C31 of
/// docs/reference/timing-contract.md).

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
    std::int64_t warp_size = 32;
    std::int64_t resident = 1; ///< Blocks that are on a multiprocessor together, at most.
    std::int64_t multiprocessors = 1;
    /// Of a thread and of a block, as far as the launch or the listing states them; what is not
    /// stated is taken not to limit the resident blocks.
    std::optional<std::int64_t> registers{};
    std::optional<std::int64_t> shared_memory{};
    /// Shared memory is that of the listing: dynamic shared memory is taken to be 0.
    bool static_shared_memory = false;
    std::int64_t schedulers = 1;          ///< Of a multiprocessor.
    models::Interval issue_slot{1, 1, 1}; ///< `Unit:` core cycles.
    /// From the end of a block to the first issue of the one that takes its slot; 0 when there is
    /// none. `Unit:` core cycles.
    models::Interval refill{0, 0, 0};

    [[nodiscard]] std::int64_t warps() const { return blocks * warps_per_block; }
    /// Of any so many warps with consecutive indices, on one scheduler at most.
    [[nodiscard]] std::int64_t on_one_scheduler(std::int64_t warps) const {
        return (warps + schedulers - 1) / schedulers;
    }
    /// Slots of all multiprocessors.
    [[nodiscard]] std::int64_t slots() const { return multiprocessors * resident; }
    /// Blocks that one slot runs after another when all run equally many.
    [[nodiscard]] std::int64_t waves() const { return (blocks + slots() - 1) / slots(); }
    /// Blocks that some multiprocessor runs at least.
    [[nodiscard]] std::int64_t share() const {
        return (blocks + multiprocessors - 1) / multiprocessors;
    }
    /// In several waves: warps of the blocks that run beside the critical chain up to the start of
    /// the last one, and of those that then run where it ends (docs/soundness.md, S20).
    [[nodiscard]] std::int64_t warps_of_chain() const {
        return std::min(blocks, (blocks - 1) / multiprocessors + resident) * warps_per_block;
    }
    /// Blocks that some multiprocessor has from the start on, at least.
    [[nodiscard]] std::int64_t surely_together() const { return std::min(resident, share()); }
    /// Blocks that every multiprocessor gets when all start together, at least.
    [[nodiscard]] std::int64_t fewest_together() const {
        return std::max<std::int64_t>(0, blocks - (multiprocessors - 1) * resident);
    }
    /// One multiprocessor with room for `resident` blocks, on which so many start together.
    [[nodiscard]] LaunchGeometry holding(std::int64_t together) const {
        LaunchGeometry one = *this;
        one.blocks = together;
        one.multiprocessors = 1;
        return one;
    }
    /// With as many blocks as one can get when all start together.
    [[nodiscard]] LaunchGeometry fullest() const { return holding(resident); }
};

/// Refuses a block that does not fit, more multiprocessors than there are, and a description that
/// lacks what the launch needs, naming it.
Result<LaunchGeometry> launch_geometry(const models::Launch& launch,
                                       const assembly::Function& function,
                                       const models::Architecture& architecture,
                                       std::int64_t multiprocessors = 1);

} // namespace warpbound::analyzer
