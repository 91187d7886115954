#pragma once
/// \file
/// Voudouris 2014 beyond one warp: the extensions that section 9.2 proposes, eq. 13 (write buffer
/// as a function of the warps), 14a (load variation) and 14b (bank conflicts), and the slots of a
/// scheduler that warps share.
///
/// The thesis gives no function for eq. 13 and 14a. The forms here are ours and are marked so; with
/// one warp, no variation and no conflicts they are the published model.

#include "models/formulas/voudouris.hpp"

namespace warpbound::models::voudouris {

/// A write buffer, as docs/reference/timing-contract.md and reference models 10 have it.
struct Buffer {
    std::int64_t entries = 0; ///< K
    double drain = 0;         ///< d. `Unit:` core cycles per entry.
};

/// The SM that the warps share.
struct Core {
    std::int64_t warps = 1;
    std::int64_t schedulers = 2;    ///< Fermi's even and odd warps (section 6.1).
    std::int64_t issue_slot = 2;    ///< Between two choices of a scheduler. `Unit:` core cycles.
    std::optional<Buffer> buffer{}; ///< Needed when several warps store.
};

/// Additions of eq. 14 to the counts of a warp.
struct Variation {
    double load = 1; ///< f(variation) of eq. 14a: factor on the cost of a global load.
    /// Conflict degrees of those shared loads that conflict (eq. 14b), each at least 2.
    std::vector<std::int64_t> degrees{};
};

struct WarpsTime {
    Times times;                   ///< Until the last warp is done.
    std::int64_t of_scheduler = 1; ///< Warps of the fullest scheduler, n.
    Cycles slots;                  ///< n issue slots: the least distance of a warp's instructions.
    double store_cost = 0;         ///< f(#warps) of eq. 13. `Unit:` core cycles per store.
};

/// Estimate, not a bound. Time of equal warps on one SM.
/// Each instruction costs at least n slots of its scheduler: with up to 3 warps a scheduler (6 an
/// SM) nothing changes, which is what the thesis measured; beyond, the slots are our extension. The
/// last warp starts n - 1 slots after the first (section 6.3).
/// Eq. 13: a store costs f(W) = max(CPI_st, d (W N - K) / N), the mean distance of entries of W N
/// stores in the recurrence of reference models 10. Eq. 14a: loads cost `load` times as much. Eq.
/// 14b: a shared load of degree n costs n CPI.
/// Best: loads at their best-case cost without variation, nothing hidden. Average: loads at full
/// cost with variation, less the hidden latency. Worst: the same, nothing hidden.
/// Unit: core cycles. Source: V14 eq. 1-11, sections 6.1, 6.3, 7.1; eq. 13, 14a, 14b of 9.2.
/// Refuses no warps, more conflicting loads than shared loads, degrees below 2, a variation that is
/// not positive, and stores of several warps without a buffer.
Result<WarpsTime> time_of_warps(const KernelProfile& profile, Cycles hidden_latency,
                                const Parameters& parameters, const Core& core,
                                const Variation& variation);

/// The symbols of `time_of_warps` that `explain` of one warp does not have.
std::vector<ExplainedSymbol> explain(const Core& core, const Variation& variation,
                                     const WarpsTime& result);

} // namespace warpbound::models::voudouris
