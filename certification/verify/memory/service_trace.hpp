#pragma once
/// \file
/// The backward trace through servers that keep one order: port, L1, its link, slices and response
/// link (steps S22a, S22d, S22e, S57 and S58 of docs/theory).

#include "certification/verify/memory/charges.hpp"
#include "certification/verify/memory/memory_layout.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::certification::verify {

/// Of the launch. Side: upper, unless named `least`. `Unit:` core cycles for times.
struct TraceInputs {
    std::int64_t lines = 0;           ///< Line accesses of loads.
    std::int64_t requests = 0;        ///< Transactions of loads.
    std::int64_t path_loads = 0;      ///< Loads of the critical path.
    std::int64_t least_lines = 1;     ///< Of a load.
    std::int64_t pass_cost = 0;       ///< Between arrivals of lines of a load.
    std::int64_t arrival = 0;         ///< From the first line of a load to the last.
    std::int64_t arrival_missing = 0; ///< Over the loads of the path, by how much theirs is less.
    std::int64_t port = 0; ///< For how long a line holds the port, where that is traced (S22d).
    std::int64_t further_sectors = 0;
    std::optional<std::int64_t>
        sectors_while_full; ///< Least, in entries; none: one is always free.
    std::optional<std::int64_t> loads_while_merged;  ///< Least, in an entry; none: any may merge.
    std::optional<std::int64_t> most_waits_to_merge; ///< S58; none: not counted.
    bool load_queue_fills = true;
    bool link_fills = true;
    bool slices_in_order = false;
    bool ends_in_order = false; ///< Lemma 2: a later segment traverses nothing of an earlier one.
    bool holders_once = true;   ///< *How often holders are visited* applies.
    bool one_trace = false;     ///< S57 applies.
    std::int64_t path_latency = 0; ///< Least that each load of the path has without queueing.
    std::int64_t proceeding = 0;   ///< Unloaded time, with tails that an access waits for.
    /// S22e: the wait for the response link, of each load and unloaded time, and all busy periods
    /// of transactions that no transfer brings; none: its assumptions do not hold.
    struct Response {
        std::int64_t each = 0;
        std::int64_t others = 0;
    };
    std::optional<Response> response;
    std::int64_t transactions_alone = 0; ///< S22, lemma 1: all unloaded times, one after another.
};

/// The smallest of the sums of S22a, S22e and S57. Side: upper.
Charges trace_charges(const TraceInputs& inputs, const MemoryLayout& layout);

} // namespace warpbound::certification::verify
