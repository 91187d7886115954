#pragma once
/// \file
/// Where the blocks of a launch run: on how many multiprocessors, how many at a time, in how many
/// waves.

#include "models/formulas/prediction/inputs.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/launch/launch.hpp"

namespace warpbound::models::prediction {

/// The most loaded multiprocessor of a launch.
struct Residency {
    std::int64_t multiprocessors = 1; ///< That have a block.
    std::int64_t blocks = 1;          ///< That this one gets.
    std::int64_t warps_per_block = 1;
    std::int64_t slots = 1;      ///< Blocks that it holds at a time, at most `blocks`.
    std::int64_t full_waves = 1; ///< Times that all slots are filled.
    std::int64_t rest = 0;       ///< Blocks of a last wave that is not full.

    [[nodiscard]] std::int64_t warps() const { return slots * warps_per_block; } ///< Resident.
};

/// Registers of a thread: the launch's, else the kernel's, or stated; notes when none is known.
/// Refuses a stated number that is another.
Result<std::optional<std::int64_t>> registers_of(const Launch& launch, const NamedProfile& profile,
                                                 Inputs& inputs);

/// Spreads the blocks evenly (Kim 2023, 3.1) and fills a multiprocessor up to its occupancy. One
/// block needs no occupancy. Notes in `inputs` what is missing: registers of a thread, shared
/// memory of a block, limits. Refuses a block that does not fit, and stated resources that
/// contradict the kernel's.
Result<std::optional<Residency>> residency_of(const Launch& launch, const NamedProfile& profile,
                                              Inputs& inputs);

/// `warps` warps that are all resident on one multiprocessor. Refuses more than it holds.
Result<std::optional<Residency>> residency_of_warps(std::int64_t warps, Inputs& inputs);

} // namespace warpbound::models::prediction
