#include "certification/verify/memory/service_trace.hpp"

#include "models/units.hpp"

#include <algorithm>

namespace warpbound::certification::verify {

namespace {

using models::Cycles;
using models::plus;
using models::times;

/// What a step takes, spread over what it traverses.
struct Share {
    std::int64_t cycles = 0;
    std::int64_t traversed = 1;
};

std::int64_t rounded_up(std::int64_t cycles, std::int64_t among) {
    return cycles / among + (cycles % among > 0 ? 1 : 0);
}

/// If each of so many costs the largest share.
std::int64_t at_largest_share(std::int64_t number, const std::vector<Share>& shares) {
    std::int64_t most = 0;
    for (const Share& share : shares)
        most = std::max(most, rounded_up(times(number, share.cycles), share.traversed));
    return most;
}

/// Shares of the steps, by what they traverse.
struct Steps {
    std::vector<Share> of_lines;        ///< Any line access.
    std::vector<Share> of_transactions; ///< Only those that leave the L1.
};

class ServiceTrace {
public:
    ServiceTrace(const TraceInputs& inputs, const MemoryLayout& layout)
        : in_{inputs}, layout_{layout} {
        steps_.of_lines.push_back({std::max(layout.l1_service, in_.port)});
        steps_.of_transactions.push_back({longest_ordered_service()});
        if (in_.link_fills)
            steps_.of_transactions.push_back({layout.transit.hi, layout.link_queue});
        choose_arrivals();
    }

    /// S22a, where the response link serves each transaction, or as S22e.
    [[nodiscard]] std::vector<Term> segments(const std::optional<TraceInputs::Response>& response) {
        terms_.clear();
        add(1, arrivals_);
        // An unloaded time contains the wait of S22e.
        const std::int64_t proceeding = plus(in_.proceeding, response ? response->each : 0);
        const std::int64_t alone =
            plus(in_.transactions_alone, response ? times(response->each, in_.requests) : 0);
        add_holders(proceeding, alone);
        const std::int64_t unordered = in_.slices_in_order ? 0 : layout_.slice_service;
        if (response) {
            add(in_.requests, unordered);
            add(in_.path_loads, plus(response->each, layout_.link_service.hi));
            add(1, response->others);
        } else {
            add(in_.requests, plus(layout_.link_service.hi, unordered));
        }
        if (!in_.ends_in_order) add(1, traversed_twice());
        return terms_;
    }

    /// S57.
    [[nodiscard]] std::vector<Term> one_trace() {
        terms_.clear();
        add(1, arrivals_);
        add(1, one_trace_services());
        add(in_.path_loads, layout_.link_service.hi);
        const bool lacks = in_.sectors_while_full || in_.loads_while_merged;
        const std::int64_t holder = lacks            ? in_.proceeding
                                    : in_.link_fills ? layout_.transit.hi
                                                     : 0;
        add(in_.path_loads,
            std::max<std::int64_t>(0, holder - in_.path_latency - layout_.link_service.hi));
        return terms_;
    }

private:
    void add(std::int64_t count, std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms_.push_back({count, cycles, ""});
    }
    [[nodiscard]] std::int64_t longest_ordered_service() const {
        return std::max(layout_.link_service.hi, in_.slices_in_order ? layout_.slice_service : 0);
    }
    /// Lemma 2: transactions at the largest share of any step, other line accesses at that of one
    /// of theirs.
    [[nodiscard]] std::int64_t all_steps(const Steps& steps) const {
        std::vector<Share> any = steps.of_transactions;
        any.insert(any.end(), steps.of_lines.begin(), steps.of_lines.end());
        return plus(at_largest_share(in_.requests, any),
                    at_largest_share(in_.lines - in_.requests, steps.of_lines));
    }

    /// Step (v): to the line before, or before the issue, whichever is less.
    void choose_arrivals() {
        Steps to_line = steps_;
        to_line.of_lines.push_back({in_.pass_cost});
        Steps before_issue = steps_;
        const std::int64_t in_queue = times(layout_.load_queue - 1, in_.least_lines);
        if (in_.load_queue_fills && in_queue > 0)
            before_issue.of_lines.push_back({in_.arrival, in_queue});
        const std::int64_t own = plus(in_.arrival, in_.arrival_missing);
        const bool may_jump = !in_.load_queue_fills || in_queue > 0;
        const bool jumps = may_jump && plus(all_steps(before_issue), own) < all_steps(to_line);
        steps_ = jumps ? before_issue : to_line;
        arrivals_ = jumps ? own : 0;
    }

    /// Step (iv), merge slots: p loads, all but one of them whole.
    [[nodiscard]] Share merge_step() const {
        return {in_.proceeding, plus(times(*in_.loads_while_merged - 1, in_.least_lines), 1)};
    }

    /// Lemma 2, with (iv): as shares, or by how often holders are visited.
    void add_holders(std::int64_t proceeding, std::int64_t alone) {
        const std::int64_t services = all_steps(steps_);
        add(1, services);
        Steps with_holders = steps_;
        std::int64_t visits = 0;
        std::int64_t sectors = 0;
        if (in_.sectors_while_full) {
            const Share step{proceeding, *in_.sectors_while_full};
            with_holders.of_transactions.push_back(step);
            sectors = at_largest_share(in_.further_sectors, {step});
            visits = plus(in_.requests, in_.further_sectors) / step.traversed;
        }
        if (in_.loads_while_merged) {
            Share step = merge_step();
            step.cycles = proceeding;
            with_holders.of_lines.push_back(step);
            visits = plus(visits, in_.lines / step.traversed);
        }
        const std::int64_t last_steps =
            in_.holders_once ? std::min(in_.path_loads, visits) : in_.path_loads;
        std::int64_t waits = plus(sectors, all_steps(with_holders) - services);
        if (visits > 0) waits = plus(waits, times(proceeding, last_steps));
        if (in_.holders_once) waits = std::min({waits, times(visits, proceeding), alone});
        add(1, waits);
        if (in_.link_fills)
            add(std::min(in_.path_loads, in_.requests / layout_.link_queue), layout_.transit.hi);
    }

    /// Lemma 2, *Traversed twice*, step 3.
    [[nodiscard]] std::int64_t traversed_twice() const {
        const std::int64_t between =
            times(times(in_.path_loads, std::min(layout_.link_queue, in_.requests)),
                  longest_ordered_service());
        const std::int64_t each =
            plus(layout_.link_service.hi, in_.slices_in_order ? layout_.slice_service : 0);
        return std::min(between, times(each, in_.requests));
    }

    /// S57, first two rows and the fifth.
    [[nodiscard]] std::int64_t one_trace_services() const {
        const std::int64_t link = layout_.link_service.hi;
        Steps steps = steps_;
        std::int64_t sectors = 0;
        if (in_.sectors_while_full) {
            const Share step{plus(in_.proceeding, link), *in_.sectors_while_full};
            steps.of_transactions.push_back(step);
            sectors = at_largest_share(in_.further_sectors, {step});
        }
        if (!in_.loads_while_merged) return plus(all_steps(steps), sectors);
        const Share merge = merge_step();
        const std::int64_t waits = std::min({in_.lines / merge.traversed, in_.requests,
                                             in_.most_waits_to_merge.value_or(in_.requests)});
        const std::int64_t apart = plus(all_steps(steps), times(in_.proceeding, waits));
        steps.of_lines.push_back(merge);
        steps.of_transactions.push_back(
            {plus(in_.proceeding, times(link, merge.traversed)), merge.traversed});
        return plus(std::min(apart, all_steps(steps)), sectors);
    }

    const TraceInputs& in_;
    const MemoryLayout& layout_;
    Steps steps_;
    std::int64_t arrivals_ = 0;
    std::vector<Term> terms_;
};

std::int64_t sum_of(const std::vector<Term>& terms) {
    std::int64_t sum = 0;
    for (const Term& term : terms)
        sum = plus(sum, times(term.count, term.cycles));
    return sum;
}

} // namespace

std::vector<Term> trace_terms(const TraceInputs& inputs, const MemoryLayout& layout) {
    ServiceTrace trace{inputs, layout};
    std::vector<Term> best = trace.segments(std::nullopt);
    const auto take_if_less = [&](std::vector<Term> other) {
        if (sum_of(other) < sum_of(best)) best = std::move(other);
    };
    if (inputs.response) take_if_less(trace.segments(inputs.response));
    if (inputs.one_trace) take_if_less(trace.one_trace());
    return best;
}

} // namespace warpbound::certification::verify
