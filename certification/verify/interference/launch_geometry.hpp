#pragma once
/// \file
/// How a launch lies on its multiprocessors, read from launch and description (rules C20, C30 and
/// C31 of docs/reference/timing-contract.md).

#include "certification/verify/evidence.hpp"
#include "models/architecture/architecture.hpp"
#include "models/units.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

struct LaunchGeometry {
    std::int64_t blocks = 1;
    std::int64_t warps_per_block = 1;
    std::int64_t warps = 1;
    std::int64_t multiprocessors = 1;
    std::int64_t resident = 1; ///< Blocks of a multiprocessor together, at most.
    std::int64_t schedulers = 1;
    std::int64_t waves = 1; ///< Blocks that some place runs one after another at least.
    models::Interval issue_slot{1, 1, 1};
    /// From the end of a block to the first issue of the one that takes its place; 0 with one wave.
    models::Interval refill{0, 0, 0};

    /// Warps that may delay each other: where all blocks start together, those of one
    /// multiprocessor.
    [[nodiscard]] std::int64_t warps_in_reach() const {
        return waves == 1 ? resident * warps_per_block : warps;
    }
    /// Of so many warps with indices in a row, those of one scheduler at most.
    [[nodiscard]] std::int64_t per_scheduler(std::int64_t count) const {
        return (count + schedulers - 1) / schedulers;
    }
};

/// Throws `Finding` when a block does not fit, the machine has fewer multiprocessors, or the
/// description lacks what the launch needs.
LaunchGeometry read_launch_geometry(const KernelCase& kernel);

} // namespace warpbound::certification::verify
