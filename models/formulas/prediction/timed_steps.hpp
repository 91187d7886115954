#pragma once
/// \file
/// The steps of a profile with the times of a machine, found out once per kind of step.

#include "models/formulas/prediction/inputs.hpp"
#include "models/kernel_profile.hpp"
#include "models/units.hpp"

#include <span>

namespace warpbound::models::prediction {

/// Where a load is served. The shares sum to 1.
struct LevelShares {
    double l1 = 0;
    double l2 = 0;
    double dram = 0;
};

struct TimedStep {
    Cycles latency; ///< From the issue to the use of the result, all passes included.
    Cycles gap;     ///< Least distance to the next instruction of the warp.
    std::size_t unit = 0;
    Cycles occupancy; ///< Of the unit's port, all passes included.
    double passes = 1;
    LevelShares shares{}; ///< Of a load of global or local memory.
};

/// One per kind of step; empty when a value is missing, which `inputs` then names.
/// Passes and levels that nothing states are 1 at the nearest level in the best variant and 32 at
/// the farthest in the worst; the typical variant needs the passes stated, and miss rates for a
/// level that is not: L1 + p_L1 (L2 - L1) + p_L1 p_L2 (DRAM - L2), reference models 5.1.
/// A latency that nothing waits for is not needed. Real numbers are rounded up to whole cycles.
/// `Shape:` timed[kind], as `Steps::kinds`.
std::vector<TimedStep> timed_steps(const Steps& steps, Inputs& inputs);

/// Cycles of one warp at the port of a unit.
struct UnitWork {
    std::string unit;
    std::int64_t groups = 1; ///< Such units of a multiprocessor.
    Cycles cycles;           ///< Summed over all steps.
};
/// The units that warps share, and the write buffer's way out with what stores occupy of it.
/// `Shape:` one per unit that is used, in the order of the description. Notes what is missing.
std::vector<UnitWork> unit_work(const Steps& steps, std::span<const TimedStep> timed,
                                Inputs& inputs);

} // namespace warpbound::models::prediction
