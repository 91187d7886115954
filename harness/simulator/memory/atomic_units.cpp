#include "harness/simulator/memory/atomic_units.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace warpbound::harness::simulator {

AtomicUnits::AtomicUnits(Ports links, const MachineShape& machine, const RunOptions& options,
                         EventLog& log)
    : links_{std::move(links)}, shape_{*machine.atomics}, log_{&log},
      random_{options.draw, RandomStream{options.seed, StreamOf::Atomics, 0}},
      free_at_(shape_.slices, 0) {
    for (const auto& issues : links_.issues)
        issues.read_by(*this);
}

/// With addresses, each slice gets the lanes that touch its lines; else one slice gets them all.
std::vector<AtomicUnits::Share> AtomicUnits::shares_of(const AtomicIssue& issue) {
    const MemoryIssue& access = issue.access;
    if (shape_.slices == 1 || shape_.line == 0 || access.access == nullptr) {
        const auto last = static_cast<std::int64_t>(shape_.slices) - 1;
        return {{.slice = static_cast<std::size_t>(random_.draw(0, last)),
                 .transactions = access.passes}};
    }
    const models::LaneAddresses lanes =
        access.recorded ? *access.recorded
                        : addresses_of(*access.access, access.execution, access.active);
    std::map<std::size_t, models::LaneAddresses> by_slice;
    for (std::uint64_t left = lanes.active; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        const std::size_t slice = lanes.address[lane] / shape_.line % shape_.slices;
        models::LaneAddresses& of_slice = by_slice[slice];
        of_slice.bytes = lanes.bytes;
        of_slice.address[lane] = lanes.address[lane];
        of_slice.active |= left & (~left + 1);
    }
    std::vector<Share> shares;
    for (const auto& [slice, of_slice] : by_slice) {
        const models::PassRange passes = models::possible_passes(access.access->rule, of_slice);
        shares.push_back({.slice = slice, .transactions = random_.draw(passes.lo, passes.hi)});
    }
    return shares;
}

void AtomicUnits::serve(const AtomicIssue& issue, std::size_t sender, std::int64_t now) {
    const MemoryIssue& access = issue.access;
    std::int64_t result = now + issue.delay;
    for (const Share& share : shares_of(issue)) {
        std::int64_t& free_at = free_at_[share.slice];
        const std::int64_t start = std::max(now, free_at);
        free_at = start + share.transactions * random_.draw(issue.slice_time);
        result = std::max({result, start + issue.delay, free_at});
        if (log_->has_listener())
            log_->add(AtomicServed{.cycle = start,
                                   .warp = access.warp,
                                   .instruction = issue.instruction,
                                   .number = access.number,
                                   .arrived = now,
                                   .slice = static_cast<std::int64_t>(share.slice),
                                   .transactions = share.transactions,
                                   .until = free_at});
    }
    if (access.launch >= completion_.size()) completion_.resize(access.launch + 1, 0);
    completion_[access.launch] = std::max(completion_[access.launch], result);
    links_.results[sender].put(ResultNotified{
        .tag = access.tag, .warp = access.warp, .number = access.number, .at = result});
}

void AtomicUnits::tick(std::int64_t now) {
    received_.clear();
    for (std::size_t sender = 0; sender < links_.issues.size(); ++sender)
        for (const AtomicIssue& issue : links_.issues[sender].messages())
            received_.emplace_back(sender, issue);
    for (std::size_t left = received_.size(); left > 1; --left)
        std::swap(received_[left - 1], received_[static_cast<std::size_t>(
                                           random_.draw(0, static_cast<std::int64_t>(left) - 1))]);
    for (const auto& [sender, issue] : received_)
        serve(issue, sender, now);
}

} // namespace warpbound::harness::simulator
