/// \file
/// C1 to C4, Q5: copies and copy engines.

#include "harness/hypotheses/orders.hpp"

#include <algorithm>

namespace warpbound::harness::hypotheses {

namespace {

bool are_rivals(const Orders& orders, std::size_t a, std::size_t b) {
    const auto& all = orders.operations();
    return a != b && !all[a].is_launch() && !all[b].is_launch() && orders.share_engine(a, b);
}

void judge_order_of_copies(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b) {
            if (!are_rivals(orders, a, b) ||
                !orders.surely_before(orders.head(a), orders.head(b)) ||
                !orders.surely_before(orders.ready(b), all[a].end.earliest))
                continue;
            compared.compare(!orders.surely_before(all[b].begin, all[a].begin) &&
                                 !orders.surely_before(all[b].end, all[a].end),
                             all[b].begin.latest, [&] {
                                 return fmt::format(
                                     "'{}' was first in its stream at {}, '{}' at {}; but they "
                                     "lasted from {} to {} and from {} to {}",
                                     all[a].name, orders.head(a).latest, all[b].name,
                                     orders.head(b).earliest, all[a].begin.earliest,
                                     all[a].end.latest, all[b].begin.latest, all[b].end.latest);
                             });
        }
}

void judge_overlap_of_copies(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = a + 1; b < all.size(); ++b) {
            if (!are_rivals(orders, a, b) ||
                !orders.surely_before(orders.ready(b), all[a].end.earliest) ||
                !orders.surely_before(orders.ready(a), all[b].end.earliest))
                continue;
            compared.compare(!orders.surely_before(all[a].begin, all[b].end) ||
                                 !orders.surely_before(all[b].begin, all[a].end),
                             std::max(all[a].begin.latest, all[b].begin.latest), [&] {
                                 return fmt::format(
                                     "'{}' (from {} to {}) overlaps '{}' (from {} to {})",
                                     all[a].name, all[a].begin.latest, all[a].end.earliest,
                                     all[b].name, all[b].begin.latest, all[b].end.earliest);
                             });
        }
}

/// When the engine is surely free for b: it and all copies that may be before it are ready or done.
std::int64_t free_from(const Orders& orders, std::size_t b) {
    const auto& all = orders.operations();
    std::int64_t from = orders.ready(b);
    for (std::size_t a = 0; a < all.size(); ++a)
        if (are_rivals(orders, a, b) && !orders.surely_before(all[b].begin, all[a].begin))
            from = std::max(from, all[a].end.latest + orders.workload().latency);
    return from;
}

void judge_next_copy(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t b = 0; b < all.size(); ++b) {
        std::optional<std::size_t> before;
        for (std::size_t a = 0; a < all.size(); ++a)
            if (are_rivals(orders, a, b) && orders.surely_before(orders.head(b), all[a].end) &&
                !orders.surely_before(all[b].begin, all[a].begin))
                before = a;
        if (all[b].is_launch() || !before) continue;
        const std::int64_t from = free_from(orders, b);
        compared.compare(!orders.surely_before(from, all[b].begin.earliest), all[b].begin.earliest,
                         [&] {
                             return fmt::format("'{}' was next after '{}', which ended at {}; the "
                                                "engine was free, and it began at {}",
                                                all[b].name, all[*before].name,
                                                all[*before].end.latest, all[b].begin.earliest);
                         });
    }
}

void judge_ends_of_copies(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto j = orders.next_in_stream(i);
        if (all[i].is_launch() || !j || !orders.surely_before(all[*j].issued, all[i].end)) continue;
        compared.compare(
            !orders.surely_before(all[*j].begin, all[i].end), all[*j].begin.latest, [&] {
                return fmt::format("'{}' began by {}, while '{}' of its stream lasted until {}",
                                   all[*j].name, all[*j].begin.latest, all[i].name,
                                   all[i].end.earliest);
            });
    }
}

void judge_beside_kernels(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t copy = 0; copy < all.size(); ++copy) {
        if (all[copy].is_launch()) continue;
        const std::int64_t from = free_from(orders, copy);
        for (const ObservedOperation& kernel : all) {
            if (!kernel.is_launch() || !orders.surely_before(kernel.begin.latest, from) ||
                !orders.surely_before(from, kernel.end.earliest))
                continue;
            compared.compare(
                all[copy].begin.earliest < kernel.end.earliest, all[copy].begin.earliest, [&] {
                    return fmt::format("'{}' could begin at {}, while '{}' ran from {} to {}; it "
                                       "began at {}",
                                       all[copy].name, from, kernel.name, kernel.begin.latest,
                                       kernel.end.earliest, all[copy].begin.earliest);
                });
        }
    }
}

} // namespace

Judgement judge_copies(Rule rule, const Orders& orders) {
    Comparisons compared{orders.workload()};
    const auto& all = orders.operations();
    const auto copies = std::count_if(all.begin(), all.end(),
                                      [](const auto& operation) { return !operation.is_launch(); });
    compared.miss(copies == 0        ? "there was no copy"
                  : rule == Rule::C4 ? "nothing was called in the stream of a copy while it ran"
                  : rule == Rule::Q5 ? "no copy was ready while a kernel ran"
                                     : "no copy waited for another one of its engine");
    if (rule == Rule::C1) judge_order_of_copies(orders, compared);
    if (rule == Rule::C2) judge_overlap_of_copies(orders, compared);
    if (rule == Rule::C3) judge_next_copy(orders, compared);
    if (rule == Rule::C4) judge_ends_of_copies(orders, compared);
    if (rule == Rule::Q5) judge_beside_kernels(orders, compared);
    return compared.take();
}

} // namespace warpbound::harness::hypotheses
