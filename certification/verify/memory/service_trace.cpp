#include "certification/verify/memory/service_trace.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using models::plus;
using models::times;

/// Cycles of a step for each of what it traverses, a fraction.
struct Share {
    std::int64_t cycles = 0;
    std::int64_t traversed = 1;

    /// Of so many, rounded up.
    [[nodiscard]] std::int64_t of(std::int64_t number) const {
        const std::int64_t all = times(number, cycles);
        return all / traversed + (all % traversed > 0 ? 1 : 0);
    }
    [[nodiscard]] bool is_less_than(const Share& other) const {
        return times(cycles, other.traversed) < times(other.cycles, traversed);
    }
};

/// Lemma 2 of S22a: the largest share of a line access that stays in the L1, and of a transaction,
/// which the steps of line accesses traverse as well.
class LargestShares {
public:
    void traverse_lines(const Share& step) {
        raise(of_line_, step);
        raise(of_transaction_, step);
    }
    void traverse_transactions(const Share& step) { raise(of_transaction_, step); }

    /// All steps of a launch, none of which traverses anything twice.
    [[nodiscard]] std::int64_t of_launch(const TraceInputs& launch) const {
        return plus(of_transaction_.of(launch.requests),
                    of_line_.of(launch.lines - launch.requests));
    }

private:
    static void raise(Share& largest, const Share& step) {
        if (largest.is_less_than(step)) largest = step;
    }

    Share of_line_;
    Share of_transaction_;
};

/// Step (v): how the trace moves from a line that is handled as it arrives.
enum class Arrival { ToLineBefore, BeforeIssue };

/// S22a's table of steps, and what S57 makes of it. `Unit:` core cycles.
class StepTable {
public:
    StepTable(const TraceInputs& launch, const MemoryLayout& layout)
        : in_{launch}, layout_{layout} {}

    /// Steps (ii), (iii), (v) and (vii), and (iv) at the link.
    [[nodiscard]] LargestShares without_holders(Arrival arrival) const {
        LargestShares shares;
        shares.traverse_lines({layout_.l1_service});
        shares.traverse_lines({in_.port});
        shares.traverse_transactions({service_in_order()});
        if (in_.link_fills) shares.traverse_transactions({layout_.transit.hi, layout_.link_queue});
        if (arrival == Arrival::ToLineBefore)
            shares.traverse_lines({in_.pass_cost});
        else if (in_.load_queue_fills)
            shares.traverse_lines({in_.arrival, lines_in_queue()});
        return shares;
    }
    /// Before the issue in (v), step 3: what a load of the path is longer than its own lines.
    [[nodiscard]] std::int64_t beyond_own_lines(Arrival arrival) const {
        return arrival == Arrival::BeforeIssue ? plus(in_.arrival, in_.arrival_missing) : 0;
    }
    /// The one that costs less; the queue of a single load is no step before an issue.
    [[nodiscard]] Arrival cheaper_arrival() const {
        if (in_.load_queue_fills && lines_in_queue() == 0) return Arrival::ToLineBefore;
        const auto cost = [&](Arrival arrival) {
            return plus(beyond_own_lines(arrival), without_holders(arrival).of_launch(in_));
        };
        return cost(Arrival::BeforeIssue) < cost(Arrival::ToLineBefore) ? Arrival::BeforeIssue
                                                                        : Arrival::ToLineBefore;
    }
    /// Of (ii): at the link, or at an in-order slice.
    [[nodiscard]] std::int64_t service_in_order() const {
        return in_.slices_in_order ? std::max(layout_.slice_service, layout_.link_service.hi)
                                   : layout_.link_service.hi;
    }
    /// Line accesses that step (iv) traverses from one that waits to merge: the loads that it waits
    /// for, of which the oldest need not have more than one line left.
    [[nodiscard]] std::int64_t lines_to_merge() const {
        return plus(1, times(in_.least_lines, *in_.loads_while_merged - 1));
    }

private:
    /// Of the loads that were in the queue with the oldest one.
    [[nodiscard]] std::int64_t lines_in_queue() const {
        return times(in_.least_lines, layout_.load_queue - 1);
    }

    const TraceInputs& in_;
    const MemoryLayout& layout_;
};

/// S22a, lemma 2: cycles of step (iv) in full L1s, beyond those of all other steps. `proceeding`:
/// for how long a holder does; `one_by_one`: all transactions, one after another.
std::int64_t at_holders(const TraceInputs& in, const StepTable& table, Arrival arrival,
                        std::int64_t proceeding, std::int64_t one_by_one) {
    // As shares, and as holders that are visited.
    LargestShares shares = table.without_holders(arrival);
    const std::int64_t others = shares.of_launch(in);
    std::int64_t of_further_sectors = 0;
    std::int64_t visits = 0;
    if (in.sectors_while_full) {
        const Share entry{proceeding, *in.sectors_while_full};
        shares.traverse_transactions(entry);
        of_further_sectors = entry.of(in.further_sectors);
        visits = plus(in.further_sectors, in.requests) / entry.traversed;
    }
    if (in.loads_while_merged) {
        const Share merge{proceeding, table.lines_to_merge()};
        shares.traverse_lines(merge);
        visits = plus(in.lines / merge.traversed, visits);
    }
    const std::int64_t by_shares = plus(shares.of_launch(in) - others, of_further_sectors);
    // Traversed twice, step 4: a segment may end at a holder of an earlier one.
    const auto with_last_steps = [&](std::int64_t segments) {
        return visits == 0 ? by_shares : plus(times(segments, proceeding), by_shares);
    };
    if (!in.holders_once) return with_last_steps(in.path_loads);
    return std::min(
        {with_last_steps(std::min(visits, in.path_loads)), times(proceeding, visits), one_by_one});
}

/// S22a, lemma 2, *Traversed twice*, step 3: between leaving the L1 and a slice.
std::int64_t traversed_twice(const TraceInputs& in, const StepTable& table,
                             const MemoryLayout& layout) {
    if (in.ends_in_order) return 0;
    const std::int64_t of_each_load =
        times(table.service_in_order(), std::min(in.requests, layout.link_queue));
    const std::int64_t of_each_transaction =
        plus(in.slices_in_order ? layout.slice_service : 0, layout.link_service.hi);
    return std::min(times(in.path_loads, of_each_load), times(in.requests, of_each_transaction));
}

/// S22a. `response`: S22e; none: the response link serves each transaction.
Charges sum_of_segments(const TraceInputs& in, const MemoryLayout& layout,
                        const std::optional<TraceInputs::Response>& response) {
    const StepTable table{in, layout};
    const Arrival arrival = table.cheaper_arrival();
    // S22e: an unloaded time contains a wait for the response link.
    const std::int64_t wait = response ? response->each : 0;
    Charges sum;
    sum.charge(1, table.without_holders(arrival).of_launch(in));
    sum.charge(1, table.beyond_own_lines(arrival));
    sum.charge(1, at_holders(in, table, arrival, plus(wait, in.proceeding),
                             plus(times(in.requests, wait), in.transactions_alone)));
    // How often holders are visited, at the link.
    if (in.link_fills)
        sum.charge(std::min(in.requests / layout.link_queue, in.path_loads), layout.transit.hi);
    sum.charge(1, traversed_twice(in, table, layout));
    // Counted as in S21.
    const std::int64_t of_slice = in.slices_in_order ? 0 : layout.slice_service;
    if (response) {
        sum.charge(in.requests, of_slice);
        sum.charge(in.path_loads, plus(layout.link_service.hi, wait));
        sum.charge(1, response->others);
    } else {
        sum.charge(in.requests, plus(of_slice, layout.link_service.hi));
    }
    return sum;
}

/// S57, the first, second and fifth row: what transactions and other line accesses count with.
std::int64_t line_accesses_of_one_trace(const TraceInputs& in, const StepTable& table,
                                        const MemoryLayout& layout, Arrival arrival) {
    const std::int64_t s = layout.link_service.hi;
    const std::int64_t d = in.proceeding;
    LargestShares shares = table.without_holders(arrival);
    std::int64_t of_further_sectors = 0;
    if (in.sectors_while_full) {
        const Share entry{plus(s, d), *in.sectors_while_full};
        shares.traverse_transactions(entry);
        of_further_sectors = entry.of(in.further_sectors);
    }
    const std::int64_t without_merges = plus(of_further_sectors, shares.of_launch(in));
    if (!in.loads_while_merged) return without_merges;
    const std::int64_t p = table.lines_to_merge();
    std::int64_t waits = std::min(in.requests, in.lines / p);
    if (in.most_waits_to_merge) waits = std::min(waits, *in.most_waits_to_merge); // S58.
    shares.traverse_lines({d, p});
    shares.traverse_transactions({plus(times(p, s), d), p}); // s + d / p.
    return std::min(plus(times(waits, d), without_merges),
                    plus(of_further_sectors, shares.of_launch(in)));
}

Charges sum_of_one_trace(const TraceInputs& in, const MemoryLayout& layout) {
    const StepTable table{in, layout};
    const Arrival arrival = table.cheaper_arrival();
    const std::int64_t s = layout.link_service.hi;
    Charges sum;
    sum.charge(1, line_accesses_of_one_trace(in, table, layout, arrival));
    sum.charge(1, table.beyond_own_lines(arrival));
    sum.charge(in.path_loads, s);
    // Fourth row: the load's own unloaded time pays for the holder.
    const bool may_lack = in.loads_while_merged || in.sectors_while_full;
    const std::int64_t in_queue = in.link_fills ? layout.transit.hi : 0;
    sum.charge(in.path_loads, (may_lack ? in.proceeding : in_queue) - plus(s, in.path_latency));
    return sum;
}

} // namespace

Charges trace_charges(const TraceInputs& inputs, const MemoryLayout& layout) {
    std::vector<Charges> sums{sum_of_segments(inputs, layout, std::nullopt)};
    if (inputs.response) sums.push_back(sum_of_segments(inputs, layout, inputs.response));
    if (inputs.one_trace) sums.push_back(sum_of_one_trace(inputs, layout));
    return least_of(sums);
}

} // namespace warpbound::certification::verify
