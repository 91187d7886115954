#pragma once
/// \file
/// How a launch sits on its multiprocessors (rules C20, C30 and C31 of docs/timing-contract.md).

#include "assembly/isa/program.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

struct LaunchShape {
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
    /// One multiprocessor with as many blocks as one can get when all start together.
    [[nodiscard]] LaunchShape fullest() const {
        LaunchShape one = *this;
        one.blocks = resident;
        one.multiprocessors = 1;
        return one;
    }
};

/// Refuses a block that does not fit, more multiprocessors than there are, and a description that
/// lacks what the launch needs, naming it.
Result<LaunchShape> shape_of(const models::Launch& launch, const assembly::Function& function,
                             const models::Architecture& architecture,
                             std::int64_t multiprocessors = 1);

} // namespace warpbound::analyzer
