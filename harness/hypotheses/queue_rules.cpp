/// \file
/// G3, X1: the execution queue.

#include "harness/hypotheses/orders.hpp"
#include "harness/hypotheses/residents.hpp"

#include <algorithm>

namespace warpbound::harness::hypotheses {

namespace {

bool are_queued_together(const ObservedOperation& a, const ObservedOperation& b) {
    return a.is_launch() && b.is_launch() && a.priority == b.priority && a.partition == b.partition;
}

void judge_first_only(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b) {
            // b waits while blocks of a, which has begun before it, wait.
            if (a == b || !are_queued_together(all[a], all[b]) ||
                !orders.surely_before(all[a].begin, all[b].begin) ||
                !orders.surely_before(orders.ready(b), all[a].dispatched))
                continue;
            compared.compare(!orders.surely_before(all[b].begin.latest, all[a].dispatched),
                             all[b].begin.latest, [&] {
                                 return fmt::format(
                                     "{} at {}, before {} at {}; '{}' had begun at {}",
                                     first_block(all[b]), all[b].begin.latest,
                                     last_dispatched(all[a]), all[a].dispatched, all[a].name,
                                     all[a].begin.latest);
                             });
        }
}

/// When b is the only launch that may be dispatched; none: another one may be before it for as long
/// as b waits.
std::optional<std::int64_t> only_candidate_from(const Orders& orders, std::size_t b) {
    const auto& all = orders.operations();
    std::int64_t from = orders.ready(b);
    for (std::size_t c = 0; c < all.size(); ++c) {
        if (c == b || !all[c].is_launch() ||
            orders.surely_before(all[b].begin.latest, orders.head(c).earliest))
            continue;
        if (orders.surely_before(all[b].begin.latest, all[c].dispatched)) {
            if (all[c].priority < all[b].priority ||
                !orders.surely_before(orders.head(b), orders.head(c)))
                return std::nullopt;
            continue;
        }
        from = std::max(from, all[c].dispatched);
    }
    return from;
}

/// By then the blocks that ended before the launch was alone have released what they had.
void judge_leaving(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    const std::int64_t slack = orders.workload().latency + orders.workload().resolution;
    for (std::size_t b = 0; b < all.size(); ++b) {
        if (!all[b].is_launch()) continue;
        const auto alone = only_candidate_from(orders, b);
        if (!alone) continue;
        const std::int64_t from = *alone + 2 * slack;
        for (std::size_t a = 0; a < all.size(); ++a) {
            // a ran on for longer than b needed to begin.
            if (a == b || !all[a].is_launch() ||
                !orders.surely_before(all[a].begin, all[b].begin) || all[a].dispatched > *alone ||
                !orders.surely_before(from + slack, all[a].end.earliest) ||
                !fits_beside_residents(orders.workload(), all[b], from))
                continue;
            compared.compare(!orders.surely_before(from + slack, all[b].begin.earliest),
                             all[b].begin.earliest, [&] {
                                 return fmt::format(
                                     "'{}' could begin at {} beside '{}', whose last block was "
                                     "dispatched at {} and which ran until {}; it began at {}",
                                     all[b].name, from, all[a].name, all[a].dispatched,
                                     all[a].end.earliest, all[b].begin.earliest);
                             });
        }
    }
}

} // namespace

Judgement judge_execution_queue(Rule rule, const Orders& orders) {
    Comparisons compared{orders.workload()};
    if (rule == Rule::X1) {
        compared.miss("no kernel waited while blocks of another one waited");
        judge_first_only(orders, compared);
    } else {
        compared.miss("no kernel waited that surely fitted beside the last blocks of another");
        judge_leaving(orders, compared);
    }
    return compared.take();
}

} // namespace warpbound::harness::hypotheses
