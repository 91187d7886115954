#pragma once
/// \file
/// The steps of a profile with the times of a machine, computed once per step kind.

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
    /// Of an access to global or local memory:
    double transactions = 0;   ///< Transactions that leave the L1.
    double miss_registers = 0; ///< MSHRs that it occupies.
    double dram_transfers = 0; ///< Of a load.
    /// Whether its lines are known and go through the caches.
    bool through_caches = false;
    double dram_bytes = 0; ///< Of a load through the caches.
};

/// Threads of a warp: 32, of AMD those of the description's wavefronts.
double lanes_of_warp(Inputs& inputs);

/// One per step kind; empty when a value is missing, which `inputs` then names.
/// Unstated passes and levels: 1 pass at the nearest level in the best variant, one for each lane
/// at the farthest level in the worst (of AMD two, C99); the typical variant needs stated passes,
/// and miss rates for an unstated level: L1 + p_L1 (L2 - L1) + p_L1 p_L2 (DRAM - L2), reference
/// models 5.1. A step kind with an access estimate takes passes and levels from it, in every
/// variant. A latency that no step waits for is not needed. Real numbers are rounded up to whole
/// cycles. `Shape:` timed[kind], as `Steps::kinds`; estimates likewise, or empty.
std::vector<TimedStep> timed_steps(const Steps& steps, const AccessEstimates& estimates,
                                   Inputs& inputs);

/// Cycles of one warp at the port of a unit.
struct UnitWork {
    std::string unit;
    std::optional<std::int64_t> groups = 1; ///< Of a multiprocessor; none: each warp has its own.
    double cycles = 0;                      ///< Summed over all steps.
};
/// Work of the units, and of the write buffer's drain port by stores.
/// `Shape:` one per unit that is used, in the order of the description. Notes missing values.
std::vector<UnitWork> unit_work(const Steps& steps, std::span<const TimedStep> timed,
                                Inputs& inputs);

/// Work of the memory servers by accesses through the caches (C24 to C28): the L1, which serves the
/// lines of one load in sequence before those of the next, its MSHRs, the request and response
/// links of the L2, its slices, and the DRAM channels. Slices and channels serve `multiprocessors`
/// multiprocessors. Work is spread evenly over slices, channels and MSHRs. A server whose numbers
/// are not described is left out.
std::vector<UnitWork> memory_work(const Steps& steps, std::span<const TimedStep> timed,
                                  std::int64_t multiprocessors, Inputs& inputs);

} // namespace warpbound::models::prediction
