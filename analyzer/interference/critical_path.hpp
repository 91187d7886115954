#pragma once
/// \file
/// What warps that share multiprocessors take from each other, as terms of an upper bound
/// (docs/soundness.md, S11 to S15 and S20).

#include "analyzer/bound.hpp"
#include "analyzer/launch/launch_geometry.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::analyzer {

/// What the warps of a launch take from each other at most, per warp. `Unit:` core cycles.
struct Interference {
    /// Loose round robin: the chain's stall holds a turn of every other warp before each of its
    /// choices; work is only what ends such a turn without a choice (docs/soundness.md, S27).
    /// So many warps of a scheduler take turns; 0: that is not counted on.
    std::int64_t turns_of = 0;
    std::int64_t stall = 0; ///< Of a warp alone, beyond its own work.
    std::int64_t same = 0;  ///< Work of a warp, for the others of its scheduler.
    std::int64_t other = 0; ///< Work of a warp, for those of other schedulers.
    /// By which the work for those of its scheduler exceeds that for others, between two barriers
    /// of its block.
    std::int64_t part = 0;
    std::int64_t drain = 0; ///< Of a warp's stores.
    /// Two-level: so many warps of a scheduler fit the active set, and the others stand outside
    /// (docs/soundness.md, S31). 0: nobody stands outside who may issue.
    std::int64_t active = 0;
    std::int64_t inside = 0;   ///< For which a warp waits inside the active set.
    std::int64_t held = 0;     ///< For which a warp holds ports beyond its issue slots.
    std::int64_t straddle = 0; ///< Of one instruction, at most.
    /// Times in a block in which the delayed warp is one and the same: between barriers.
    std::int64_t windows_of_block = 1;
    std::int64_t left_in_buffer = 0; ///< Until a write buffer is empty into which nothing enters.
};

inline constexpr const char* sums_of_a_warp[]{"stall", "demand-own-scheduler", "demand-other-schedulers", "barrier-interval", "drain"};
/// Id of the lemma that bounds one of these sums.
std::string certificate_id(const char* sum, std::int64_t turns_of);

/// Whether the critical chain may go over to a warp of another scheduler, in a launch of blocks
/// with so many barriers.
bool changes_scheduler(const LaunchGeometry& shape, std::int64_t barriers);

/// The least of several sums. Side: upper. Sound when: the policy is work-conserving, or so in an
/// active set. Throws `std::overflow_error` when a count cannot be counted.
std::vector<BoundTerm> upper_terms(const LaunchGeometry& shape, const Interference& cost);

} // namespace warpbound::analyzer
