/// \file
/// G1, G2, G4, N1, N2: queues of streams.

#include "harness/hypotheses/orders.hpp"

namespace warpbound::harness::hypotheses {

namespace {

/// In the order of their calls.
void judge_order_of_calls(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (orders.surely_before(all[i].begin, all[i].issued))
            compared.compare(false, all[i].begin.latest, [&] {
                return fmt::format("'{}' began by {}, before its call at {}", all[i].name,
                                   all[i].begin.latest, all[i].issued.earliest);
            });
        const auto j = orders.next_in_stream(i);
        if (!j || !orders.surely_before(all[*j].issued, all[i].end)) continue;
        compared.compare(
            !orders.surely_before(all[*j].begin, all[i].begin), all[*j].begin.latest, [&] {
                return fmt::format("'{}' began by {}, before '{}' of its stream at {}, which was "
                                   "called first",
                                   all[*j].name, all[*j].begin.latest, all[i].name,
                                   all[i].begin.earliest);
            });
    }
}

void judge_order_of_heads(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b) {
            if (a == b || !all[a].is_launch() || !all[b].is_launch() ||
                all[a].priority != all[b].priority || all[a].partition != all[b].partition ||
                !orders.surely_before(orders.head(a), orders.head(b)) ||
                !orders.surely_before(orders.ready(b), all[a].begin.earliest))
                continue;
            compared.compare(
                !orders.surely_before(all[b].begin, all[a].begin), all[b].begin.latest, [&] {
                    return fmt::format("'{}' was first in its stream at {}, '{}' at {}; but it "
                                       "began at {}, the other at {}",
                                       all[a].name, orders.head(a).latest, all[b].name,
                                       orders.head(b).earliest, all[a].begin.earliest,
                                       all[b].begin.latest);
                });
        }
}

/// The next operation of the stream begins after the launch ended.
void judge_ends_of_kernels(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto j = orders.next_in_stream(i);
        if (!all[i].is_launch() || !j || !orders.surely_before(all[*j].issued, all[i].end))
            continue;
        compared.compare(
            !orders.surely_before(all[*j].begin, all[i].end), all[*j].begin.latest, [&] {
                return fmt::format(
                    "'{}' began by {}, while blocks of '{}' of its stream ran until {}",
                    all[*j].name, all[*j].begin.latest, all[i].name, all[i].end.earliest);
            });
    }
}

/// `of_null`: the later operation is of the NULL stream, else the earlier one.
void judge_null_stream(const Orders& orders, bool of_null, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t j = 0; j < all.size(); ++j)
        for (std::size_t i = 0; i < j; ++i) {
            const auto& null = of_null ? all[j] : all[i];
            const auto& other = of_null ? all[i] : all[j];
            if (null.stream || !other.stream || !orders.issued_before(i, j) ||
                !orders.surely_before(all[j].issued, all[i].end))
                continue;
            compared.compare(
                !orders.surely_before(all[j].begin, all[i].end), all[j].begin.latest, [&] {
                    return fmt::format("'{}'{} began by {}, while '{}'{}, which was "
                                       "called before it, ran until {}",
                                       all[j].name, of_null ? " (NULL stream)" : "",
                                       all[j].begin.latest, all[i].name,
                                       of_null ? "" : " (NULL stream)", all[i].end.earliest);
                });
        }
}

} // namespace

Judgement judge_streams(Rule rule, const Orders& orders) {
    Comparisons compared{orders.workload()};
    compared.miss("no operation was called while one before it ran");
    if (rule == Rule::G1) judge_order_of_calls(orders, compared);
    if (rule == Rule::G2) judge_order_of_heads(orders, compared);
    if (rule == Rule::G4) judge_ends_of_kernels(orders, compared);
    if (rule == Rule::N1 || rule == Rule::N2) judge_null_stream(orders, rule == Rule::N1, compared);
    return compared.take();
}

} // namespace warpbound::harness::hypotheses
