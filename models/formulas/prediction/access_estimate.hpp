#pragma once
/// \file
/// Estimates of the memory levels that serve the accesses of address patterns: the access stream of
/// all resident warps through cache models.

#include "models/formulas/prediction/inputs.hpp"
#include "models/formulas/prediction/residency.hpp"
#include "models/kernel/profile_steps.hpp"

#include <optional>
#include <vector>

namespace warpbound::models::prediction {

/// Shares of a load's executions by the level that serves them. They sum to 1.
struct LevelShares {
    double l1 = 0;
    double l2 = 0;
    double dram = 0;
};

/// Estimate, not a bound. Means over the executions of an instruction by all resident warps.
struct AccessEstimate {
    double passes = 1;
    bool through_caches = false; ///< If so, the other members are known.
    /// Of a load: by the farthest level of an execution's lines, which its result waits for. None
    /// for other instructions.
    std::optional<LevelShares> shares{};
    double transactions = 0;   ///< Per execution, that leave the L1: lines that miss or are stored.
    double miss_registers = 0; ///< MSHRs per execution: sectors that miss the L1.
    double dram_transfers = 0; ///< Per execution.
    double dram_bytes = 0;
};

/// One estimate per step kind; none for step kinds without a pattern. Steps of one address count as
/// executions of one instruction.
/// Access order: all warps make their accesses of one step before the next step; data that a step
/// misses arrives before the next step. Blocks run in waves. L1: by reuse distance within its sets;
/// with unknown sets as one set of its size. L2: likewise, with unknown sets by stack distance
/// (SDCM). The L2 serves one multiprocessor only; warps that are stated without a launch are blocks
/// of one warp. Stores go to the L2 and do not change the L1. After `most_accesses` accesses the
/// rest of the kernel is assumed to be like them. Notes missing memory geometry in `inputs`. Stated
/// miss rates replace the shares of levels. Source: Nugteren et al. 2014; SDCM (reference models
/// 11); the order of accesses is our choice.
inline constexpr std::size_t most_accesses = std::size_t{1} << 17U;
using AccessEstimates = std::vector<std::optional<AccessEstimate>>;
AccessEstimates estimate_accesses(const Steps& steps, const Residency& residency, Inputs& inputs);

/// Whether a step of a pattern goes through the caches (C23).
bool through_caches(const ProfileStep& step);

/// Whether any step has an address pattern.
bool has_patterns(const Steps& steps);

} // namespace warpbound::models::prediction
