#pragma once
/// \file
/// The steps of a profile with the times of a machine, found out once per kind of step.

#include "models/formulas/prediction/access_estimate.hpp"
#include "models/kernel/kernel_profile.hpp"
#include "models/units.hpp"

#include <optional>
#include <span>

namespace warpbound::models::prediction {

struct TimedStep {
    Cycles latency; ///< From the issue to the use of the result, all passes included.
    Cycles gap;     ///< Least distance to the next instruction of the warp.
    std::size_t unit = 0;
    Cycles occupancy; ///< Of the unit's port, all passes included.
    double passes = 1;
    LevelShares shares{}; ///< Of a load of global or local memory.
    /// Of an access of global or local memory.
    double transactions = 0;   ///< That leave the L1.
    double miss_registers = 0; ///< That it takes.
    double dram_transfers = 0; ///< Of a load.
    /// Its lines are known and go through the caches.
    bool through_caches = false;
    double dram_bytes = 0; ///< Of such a load.
};

/// One per kind of step; empty when a value is missing, which `inputs` then names.
/// Passes and levels that nothing states are 1 at the nearest level in the best variant and 32 at
/// the farthest in the worst; the typical variant needs the passes stated, and miss rates for a
/// level that is not: L1 + p_L1 (L2 - L1) + p_L1 p_L2 (DRAM - L2), reference models 5.1.
/// A kind with an estimate takes passes and levels from it, in every variant.
/// A latency that nothing waits for is not needed. Real numbers are rounded up to whole cycles.
/// `Shape:` timed[kind], as `Steps::kinds`; estimates likewise, or empty.
std::vector<TimedStep> timed_steps(const Steps& steps, const AccessEstimates& estimates,
                                   Inputs& inputs);

/// Cycles of one warp at the port of a unit.
struct UnitWork {
    std::string unit;
    std::optional<std::int64_t> groups = 1; ///< Of a multiprocessor; none: each warp has its own.
    double cycles = 0;                      ///< Summed over all steps.
};
/// The units, and the write buffer's way out with what stores occupy of it.
/// `Shape:` one per unit that is used, in the order of the description. Notes what is missing.
std::vector<UnitWork> unit_work(const Steps& steps, std::span<const TimedStep> timed,
                                Inputs& inputs);

/// The servers of the memory with what accesses through the caches occupy of them (C24 to C28): the
/// L1, in which the lines of one load follow each other before those of the next, its miss
/// registers, the links to and from the L2, its slices, and DRAM's channels; the last two serve as
/// many multiprocessors. Work is spread evenly over slices, channels and registers. A server whose
/// numbers are not described is left out.
std::vector<UnitWork> memory_work(const Steps& steps, std::span<const TimedStep> timed,
                                  std::int64_t multiprocessors, Inputs& inputs);

} // namespace warpbound::models::prediction
