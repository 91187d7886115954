#pragma once
/// \file
/// Where the accesses of address patterns are served: the stream of all resident warps through
/// estimates of the caches.

#include "models/formulas/prediction/inputs.hpp"
#include "models/formulas/prediction/residency.hpp"
#include "models/kernel/profile_steps.hpp"

#include <optional>
#include <vector>

namespace warpbound::models::prediction {

/// Where a load is served. The shares sum to 1.
struct LevelShares {
    double l1 = 0;
    double l2 = 0;
    double dram = 0;
};

/// Estimate, not a bound. Means over the executions of an instruction by all resident warps.
struct AccessEstimate {
    double passes = 1;
    bool through_caches = false; ///< Then the rest is known.
    /// By the farthest level of an execution's lines, which its result waits for. Of a load;
    /// otherwise none.
    std::optional<LevelShares> shares{};
    double transactions = 0; ///< Of an execution that leave the L1: lines that miss or are stored.
    double miss_registers = 0; ///< That an execution takes: sectors that miss the L1.
    double dram_transfers = 0; ///< Of an execution.
    double dram_bytes = 0;
};

/// One per kind of step; none for kinds without a pattern. Steps of one address count as executions
/// of one instruction.
/// Every warp makes its accesses one step after the other, all warps at the same step before the
/// next one; data that a step misses arrives before the next step. Blocks follow each other in
/// waves. L1: by reuse distance within its sets; without known sets as one set of its size. L2:
/// likewise, without known sets by stack distance (SDCM). With several multiprocessors this one has
/// the L2 to itself; warps that are stated without a launch are blocks of one warp. Stores go to
/// the L2 and change nothing in the L1. After `most_accesses` accesses the rest of the kernel is
/// taken to be like them. Notes what is missing: geometry of memories. Stated miss rates replace
/// the shares of levels. Source: Nugteren et al. 2014; SDCM (reference models 11); the order of
/// accesses is our choice.
inline constexpr std::size_t most_accesses = std::size_t{1} << 17U;
using AccessEstimates = std::vector<std::optional<AccessEstimate>>;
AccessEstimates estimate_accesses(const Steps& steps, const Residency& residency, Inputs& inputs);

/// Whether a step of a pattern goes through the caches (C23).
bool through_caches(const ProfileStep& step);

/// Whether any step has an address pattern.
bool has_patterns(const Steps& steps);

} // namespace warpbound::models::prediction
