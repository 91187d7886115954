#pragma once
/// \file
/// Residency of the blocks of a launch: multiprocessors, co-resident blocks and waves.

#include "models/formulas/prediction/inputs.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/launch/launch.hpp"

namespace warpbound::models::prediction {

/// The most loaded multiprocessor of a launch.
struct Residency {
    std::int64_t multiprocessors = 1; ///< Multiprocessors with at least one block.
    std::int64_t blocks = 1;          ///< Blocks of this multiprocessor.
    std::int64_t warps_per_block = 1;
    std::int64_t slots = 1;      ///< Block slots: co-resident blocks, at most `blocks`.
    std::int64_t full_waves = 1; ///< Waves that fill all block slots.
    std::int64_t rest = 0;       ///< Blocks of the last wave if it is not full.

    [[nodiscard]] std::int64_t warps() const { return slots * warps_per_block; } ///< Resident.
};

/// Registers per thread: of the launch, else of the kernel, else stated; notes a missing number.
/// Refuses a stated number that contradicts launch or kernel.
Result<std::optional<std::int64_t>> registers_of(const Launch& launch, const NamedProfile& profile,
                                                 Inputs& inputs);

/// Distributes the blocks evenly (Kim 2023, 3.1) and fills a multiprocessor up to its occupancy. A
/// launch of one block needs no occupancy. Notes missing values in `inputs`: registers of a thread,
/// shared memory of a block, limits. Refuses a block that does not fit, and stated resources that
/// contradict the kernel's.
Result<std::optional<Residency>> residency_of(const Launch& launch, const NamedProfile& profile,
                                              Inputs& inputs);

/// `warps` warps that are all resident on one multiprocessor. Refuses more than it holds.
Result<std::optional<Residency>> residency_of_warps(std::int64_t warps, Inputs& inputs);

} // namespace warpbound::models::prediction
