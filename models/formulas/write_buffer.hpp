#pragma once
/// \file
/// A write buffer of K entries that drains one at a time: entry and drain times of stores, and
/// bounds on their delay.
///
/// Voudouris 2014 gives 34 cycles between the stores of a warp (Table 7) and leaves K and the drain
/// interval open; both must be calibrated and have no default here. So the measured times of stores
/// (616 and 916 cycles, section 7.4) are not reproduced.

#include "assembly/support/result.hpp"
#include "models/bounds.hpp"
#include "models/estimate.hpp"
#include "models/formulas/explanation.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace warpbound::models::write_buffer {

/// One store in issue order, those of all warps of the SM merged.
struct Store {
    Cycles ready; ///< Earliest entry.
    Cycles drain; ///< Occupancy of the drain port.
};

/// `Side:` exact for the recurrence.
struct Passage {
    Cycles entered; ///< t_j
    Cycles drained; ///< done_j
};

struct Completion {
    Estimate<Cycles> last_entered;
    Estimate<Cycles> last_drained;
    std::vector<Passage> passages; ///< `Shape:` passages[store].
};

/// Estimate, not a bound. Stores through a buffer of `entries`, entering at least `gap` apart:
/// t_j = max(ready_j, t_{j-1} + gap, done_{j-K}), done_j = max(t_j, done_{j-1}) + drain_j. A gap
/// after a store that had to wait counts from its entry, as for one warp in order.
/// Unit: core cycles. Side: exact for the recurrence, an estimate of the machine.
/// Source: inferred from Voudouris 2014, eq. 13 and 7.4 (reference models 10). The ready times are
/// our addition; with all of them 0 it is the printed recurrence.
/// Refuses no stores, no entries, and times below 0. Errors: `std::overflow_error`.
Result<Completion> completion(std::span<const Store> stores, Cycles gap, std::int64_t entries);

/// At most burst + floor(window / interval) stores become ready in any window, its ends included.
struct ArrivalCurve {
    std::int64_t burst = 0;
    Cycles interval;
};

/// Within a busy period the first store leaves at most `latency` + drain after it began, and every
/// further one at most a drain later.
struct ServiceCurve {
    Cycles latency;
    Bounds<Cycles> drain;
};

struct Guarantee {
    Bounds<Cycles> delay;         ///< From ready to drained, of any store.
    Bounds<std::int64_t> backlog; ///< Most stores ready and not drained at a time.
};

/// Delay and backlog of every store.
/// Unit: core cycles; stores. Side: both. The lower sides are one drain and one store.
/// Sound when: arrivals and drains conform to their curves, and stores drain in order. The number
/// of entries does not matter: a store that waits outside drains no later than one inside. Source:
/// network calculus, delay <= T + b/R and backlog <= b + rT for r <= R (reference models 12), here
/// in whole numbers: T + burst drain, and burst + ceil(T / interval). Refuses stores that may come
/// faster than they drain, no burst, and times below 0. Errors: `std::overflow_error`.
Result<Guarantee> guarantee(const ArrivalCurve& arrivals, const ServiceCurve& service);

/// The symbols of `guarantee` with their values and sources.
std::vector<ExplainedSymbol> explain(const ArrivalCurve& arrivals, const ServiceCurve& service,
                                     const Guarantee& result);

/// The symbols of `completion` with their values and sources.
std::vector<ExplainedSymbol> explain(std::span<const Store> stores, Cycles gap,
                                     std::int64_t entries, const Completion& result);

} // namespace warpbound::models::write_buffer
