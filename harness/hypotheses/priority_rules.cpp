/// \file
/// A1, A2, Q3: priorities and preemption.

#include "harness/hypotheses/orders.hpp"

#include <algorithm>

namespace warpbound::harness::hypotheses {

namespace {

bool is_more_urgent(const ObservedOperation& a, const ObservedOperation& b) {
    return a.is_launch() && b.is_launch() && a.priority < b.priority && a.partition == b.partition;
}

/// b begins although the more urgent a waits.
void judge_begins(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b) {
            if (!is_more_urgent(all[a], all[b]) ||
                !orders.surely_before(orders.ready(a), all[b].begin.earliest) ||
                !orders.surely_before(orders.ready(b), all[a].dispatched))
                continue;
            compared.compare(
                !orders.surely_before(all[b].begin, all[a].begin), all[b].begin.latest, [&] {
                    return fmt::format("'{}' (priority {}) began at {}, while '{}' (priority {}) "
                                       "waited from {} to {}",
                                       all[b].name, all[b].priority, all[b].begin.latest,
                                       all[a].name, all[a].priority, orders.ready(a),
                                       all[a].begin.earliest);
                });
        }
}

/// Blocks of b, which has begun, begin although blocks of the more urgent a wait.
void judge_blocks_of_executing_kernels(const Orders& orders, Comparisons& compared) {
    const auto& all = orders.operations();
    for (std::size_t a = 0; a < all.size(); ++a)
        for (std::size_t b = 0; b < all.size(); ++b) {
            const auto ready = orders.ready(a);
            if (!is_more_urgent(all[a], all[b]) ||
                !orders.surely_before(all[b].begin.latest, ready) ||
                !orders.surely_before(ready, all[b].dispatched) ||
                !orders.surely_before(ready, all[a].dispatched))
                continue;
            for (const ObservedBlock& block : all[b].blocks) {
                if (!orders.surely_before(ready, block.begin)) continue;
                compared.compare(
                    !orders.surely_before(block.begin, all[a].dispatched), block.begin, [&] {
                        return fmt::format("block {} of '{}' (priority {}) on SM {} began at {}, "
                                           "while blocks of '{}' (priority {}) waited from {} to "
                                           "{}",
                                           &block - all[b].blocks.data(), all[b].name,
                                           all[b].priority, block.multiprocessor, block.begin,
                                           all[a].name, all[a].priority, ready, all[a].dispatched);
                    });
            }
        }
}

void judge_gaps(const Orders& orders, Comparisons& compared) {
    const auto longest = orders.workload().interruption;
    for (const ObservedOperation& launch : orders.operations())
        for (const ObservedBlock& block : launch.blocks) {
            if (!longest || !block.longest_gap) continue;
            compared.compare(*block.longest_gap <= *longest, block.begin, [&] {
                return fmt::format("block {} of '{}' on SM {} (from {} to {}) made no step for {} "
                                   "{}; more than {} is an interruption",
                                   &block - launch.blocks.data(), launch.name, block.multiprocessor,
                                   block.begin, block.end, *block.longest_gap,
                                   to_string(orders.workload().unit), *longest);
            });
        }
}

} // namespace

Judgement judge_priorities(Rule rule, const Orders& orders) {
    Comparisons compared{orders.workload()};
    const auto& all = orders.operations();
    const bool differ = std::any_of(all.begin(), all.end(), [&](const auto& operation) {
        return operation.priority != all.front().priority;
    });
    if (rule == Rule::Q3)
        compared.miss("the steps of blocks were not recorded");
    else
        compared.miss(differ ? "no more urgent kernel waited beside a less urgent one"
                             : "all streams had one priority");
    if (rule == Rule::A1) judge_begins(orders, compared);
    if (rule == Rule::A2) judge_blocks_of_executing_kernels(orders, compared);
    if (rule == Rule::Q3) judge_gaps(orders, compared);
    return compared.take();
}

} // namespace warpbound::harness::hypotheses
