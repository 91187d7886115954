/// \file
/// Q1, Q2, Q4, Q6, Q7: the device as the server of a queueing model, one kernel after another.

#include "harness/hypotheses/orders.hpp"
#include "harness/hypotheses/residents.hpp"

#include <algorithm>
#include <map>

namespace warpbound::harness::hypotheses {

namespace {

bool share_server(const ObservedOperation& a, const ObservedOperation& b) {
    return a.is_launch() && b.is_launch() && a.partition == b.partition;
}

void judge_one_at_a_time(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = a + 1; b < all.size(); ++b) {
            if (!share_server(all[a], all[b]) ||
                !orders.surely_before(orders.ready(b), all[a].end.earliest) ||
                !orders.surely_before(orders.ready(a), all[b].end.earliest))
                continue;
            const bool overlap = orders.surely_before(all[a].begin, all[b].end) &&
                                 orders.surely_before(all[b].begin, all[a].end);
            const auto& first = all[a].begin.latest <= all[b].begin.latest ? all[a] : all[b];
            const auto& second = &first == &all[a] ? all[b] : all[a];
            compared.compare(!overlap, second.begin.latest, [&] {
                return fmt::format("{} at {}, while blocks of '{}' ran from {} to {}",
                                   first_block(second), second.begin.latest, first.name,
                                   first.begin.latest, first.end.earliest);
            });
        }
}

void judge_order_of_ends(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b) {
            if (a == b || !share_server(all[a], all[b]) || all[a].priority != all[b].priority ||
                !orders.surely_before(orders.head(a), orders.head(b)) ||
                !orders.surely_before(orders.ready(b), all[a].end.earliest))
                continue;
            compared.compare(!orders.surely_before(all[b].end, all[a].end), all[b].end.latest, [&] {
                return fmt::format("'{}' was first in its stream at {}, '{}' at {}; but it ended "
                                   "at {}, the other at {}",
                                   all[a].name, orders.head(a).latest, all[b].name,
                                   orders.head(b).earliest, all[a].end.earliest, all[b].end.latest);
            });
        }
}

/// No other kernel begins between the first and the last block of a.
void judge_kernel_preemption(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b) {
            if (a == b || !share_server(all[a], all[b]) ||
                !orders.surely_before(all[a].begin, all[b].begin) ||
                !orders.surely_before(orders.ready(b), all[a].dispatched))
                continue;
            compared.compare(!orders.surely_before(all[b].begin.latest, all[a].dispatched),
                             all[b].begin.latest, [&] {
                                 return fmt::format(
                                     "{} at {}, while blocks of '{}' waited, which had begun at "
                                     "{}; its last one began at {}",
                                     first_block(all[b]), all[b].begin.latest, all[a].name,
                                     all[a].begin.latest, all[a].dispatched);
                             });
        }
}

void judge_partitions(const Orders& orders, Comparisons& compared) {
    struct User {
        const ObservedOperation* launch;
        const ObservedBlock* block;
    };
    std::map<std::int64_t, User> users;
    const auto& all = orders.operations();
    const auto first =
        std::find_if(all.begin(), all.end(), [](const auto& one) { return one.is_launch(); });
    const bool several = std::any_of(first, all.end(), [&](const ObservedOperation& one) {
        return one.is_launch() && one.partition != first->partition;
    });
    if (!several) return compared.miss("all kernels were of one partition");
    for (const ObservedOperation& launch : all)
        for (const ObservedBlock& block : launch.blocks) {
            const auto [user, is_first] =
                users.try_emplace(block.multiprocessor, User{&launch, &block});
            if (is_first) continue;
            const ObservedOperation& other = *user->second.launch;
            compared.compare(other.partition == launch.partition, block.begin, [&] {
                return fmt::format("block {} of '{}' (partition {}) began at {} on SM {}, as did a "
                                   "block of '{}' (partition {}) at {}",
                                   &block - launch.blocks.data(), launch.name, launch.partition,
                                   block.begin, block.multiprocessor, other.name, other.partition,
                                   user->second.block->begin);
            });
        }
    compared.miss("no SM executed two blocks");
}

/// The latest end of a kernel that runs before `at`; nothing where one runs at it.
std::optional<std::int64_t> idle_since(const Orders& orders, const ObservedOperation& waiting) {
    std::int64_t since = 0;
    for (const ObservedOperation& other : orders.operations()) {
        if (&other == &waiting || !share_server(other, waiting)) continue;
        if (!orders.surely_before(waiting.begin, other.begin) &&
            !orders.surely_before(other.end, waiting.begin))
            return std::nullopt;
        if (orders.surely_before(other.end, waiting.begin))
            since = std::max(since, other.end.latest);
    }
    return since;
}

void judge_idling(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t waiting = 0; waiting < all.size(); ++waiting) {
        if (!all[waiting].is_launch()) continue;
        const auto since = idle_since(orders, all[waiting]);
        if (!since) continue;
        const std::int64_t from =
            std::max(orders.head(waiting).latest, *since) + orders.workload().latency;
        compared.compare(!orders.surely_before(from, all[waiting].begin.earliest),
                         all[waiting].begin.earliest, [&] {
                             return fmt::format(
                                 "'{}' was first in its stream at {} and nothing ran since {}; "
                                 "it began at {}, more than {} {} later",
                                 all[waiting].name, orders.head(waiting).latest, *since,
                                 all[waiting].begin.earliest, orders.workload().latency,
                                 to_string(orders.workload().unit));
                         });
    }
}

} // namespace

Judgement judge_servers(Rule rule, const Orders& orders) {
    Comparisons compared{orders.workload()};
    if (rule == Rule::Q1) judge_one_at_a_time(orders, compared);
    if (rule == Rule::Q2) judge_order_of_ends(orders, compared);
    if (rule == Rule::Q4) judge_kernel_preemption(orders, compared);
    if (rule == Rule::Q6) judge_partitions(orders, compared);
    if (rule == Rule::Q7) judge_idling(orders, compared);
    compared.miss("no kernel waited for another one");
    return compared.take();
}

} // namespace warpbound::harness::hypotheses
