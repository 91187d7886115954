/// \file
/// R1 to R3: the blocks of an SM never need more than it has.

#include "harness/hypotheses/orders.hpp"
#include "harness/hypotheses/residents.hpp"

#include <algorithm>

namespace warpbound::harness::hypotheses {

namespace {

/// A block begins or has ended, on one SM or on the device.
struct Change {
    std::int64_t at = 0;
    bool begins = false;
    std::int64_t amount = 0;
    const ObservedOperation* launch = nullptr;
    const ObservedBlock* block = nullptr;
};

/// Ends before begins: what a block releases may be taken in the same instant. A block surely holds
/// its resources from its begin plus the resolution to its end.
std::vector<Change> changes_of(std::vector<Change> begins, std::int64_t resolution) {
    std::vector<Change> all;
    for (const Change& change : begins) {
        const std::int64_t begin = change.block->begin + resolution;
        if (begin >= change.block->end) continue;
        all.push_back({begin, true, change.amount, change.launch, change.block});
        all.push_back({change.block->end, false, change.amount, change.launch, change.block});
    }
    std::stable_sort(all.begin(), all.end(), [](const Change& a, const Change& b) {
        return a.at != b.at ? a.at < b.at : a.begins < b.begins;
    });
    return all;
}

/// Compares every begin of a block with the limit, where blocks of this size fill it.
void sweep(const std::vector<Change>& changes, std::int64_t limit, const std::string& where,
           std::string_view unit, Comparisons& compared) {
    std::int64_t peak = 0;
    std::int64_t taken = 0;
    std::int64_t least = limit + 1;
    for (const Change& change : changes) {
        taken += change.begins ? change.amount : -change.amount;
        peak = std::max(peak, taken);
        if (change.amount > 0) least = std::min(least, change.amount);
    }
    if (peak + least <= limit) return; // One more would have fitted at all times.
    taken = 0;
    for (const Change& change : changes) {
        taken += change.begins ? change.amount : -change.amount;
        if (!change.begins || change.amount == 0) continue;
        compared.compare(taken <= limit, change.at, [&] {
            return fmt::format("block {} of '{}' on SM {} began at {}: the blocks of {} then need "
                               "{} {} of {}",
                               change.block - change.launch->blocks.data(), change.launch->name,
                               change.block->multiprocessor, change.block->begin, where, taken,
                               unit, limit);
        });
    }
}

/// The blocks of each SM with their demand; `known`: whether all demands are known.
std::map<std::int64_t, std::vector<Change>> blocks_by_sm(const ObservedWorkload& workload,
                                                         Resource resource, bool& known) {
    std::map<std::int64_t, std::vector<Change>> all;
    for (const ObservedOperation& launch : workload.operations)
        for (const ObservedBlock& block : launch.blocks) {
            const auto amount = demand_of(launch, resource);
            known = known && amount.has_value();
            all[block.multiprocessor].push_back(
                {block.begin, true, amount.value_or(0), &launch, &block});
        }
    return all;
}

void judge_resource(const ObservedWorkload& workload, Resource resource, std::string_view unit,
                    Comparisons& compared) {
    bool known = true;
    const auto by_sm = blocks_by_sm(workload, resource, known);
    const auto limit = limit_of(workload.limits, resource);
    // A sum that lacks a demand compares nothing.
    if (limit && known)
        for (const auto& [sm, blocks] : by_sm)
            sweep(changes_of(blocks, workload.resolution), *limit, fmt::format("SM {}", sm), unit,
                  compared);
    if (resource == Resource::Threads && workload.limits.device_threads && known) {
        std::vector<Change> all;
        for (const auto& [sm, blocks] : by_sm)
            all.insert(all.end(), blocks.begin(), blocks.end());
        sweep(changes_of(all, workload.resolution), *workload.limits.device_threads, "all SMs",
              unit, compared);
        return;
    }
    if (!limit)
        compared.miss(fmt::format("how many {} an SM has is not known", unit));
    else if (!known)
        compared.miss(fmt::format("how many {} the blocks need is not known", unit));
    else
        compared.miss(fmt::format("no SM ran out of {}", unit));
}

} // namespace

Judgement judge_resources(Rule rule, const Orders& orders) {
    Comparisons compared{orders.workload()};
    if (rule == Rule::R1) {
        judge_resource(orders.workload(), Resource::BlockSlots, "block slots", compared);
        judge_resource(orders.workload(), Resource::Registers, "registers", compared);
    } else if (rule == Rule::R2) {
        judge_resource(orders.workload(), Resource::Threads, "threads", compared);
    } else {
        judge_resource(orders.workload(), Resource::SharedMemory, "bytes of shared memory",
                       compared);
    }
    return compared.take();
}

} // namespace warpbound::harness::hypotheses
