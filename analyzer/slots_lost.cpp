#include "analyzer/slots_lost.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

std::int64_t times(std::int64_t a, std::int64_t b) {
    return (models::Cycles{a} * b).count();
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
    return (models::Cycles{a} + models::Cycles{b}).count();
}

std::int64_t rounded_up(std::int64_t cycles, std::int64_t period) {
    return (cycles + period - 1) / period;
}

} // namespace

std::vector<AlikeSchedulers> schedulers_of(const models::WarpPolicy& policy,
                                           const LaunchShape& shape) {
    const std::int64_t resident = shape.resident * shape.warps_per_block;
    const std::int64_t fuller = resident % shape.schedulers;
    std::vector<AlikeSchedulers> schedulers;
    const auto add = [&](std::int64_t count, std::int64_t places) {
        if (count > 0 && places > 0)
            schedulers.push_back({count, SlotOrder{policy, places, shape.issue_slot.hi}});
    };
    add(shape.schedulers - fuller, resident / shape.schedulers);
    add(fuller, resident / shape.schedulers + 1);
    return schedulers;
}

LostToPorts::LostToPorts(const Problem& problem) : problem_{problem} {
    const InstructionCosts held = port_times(problem);
    std::vector<Use> use_of(held.size());
    for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i] > 0) {
            use_of[i] = {held[i], is_shared_by_all(problem, i)};
            uses_.push_back(use_of[i]);
        }
    std::sort(uses_.begin(), uses_.end());
    uses_.erase(std::unique(uses_.begin(), uses_.end()), uses_.end());
    for (std::size_t i = 0; i < held.size(); ++i) {
        const auto use = std::lower_bound(uses_.begin(), uses_.end(), use_of[i]);
        use_of_.push_back(held[i] > 0 ? static_cast<std::size_t>(use - uses_.begin())
                                      : uses_.size());
    }
}

std::int64_t LostToPorts::most(const Covered& covered) {
    if (std::all_of(covered.begin(), covered.end(), [](std::int64_t n) { return n == 0; }))
        return 0;
    const auto [known, fresh] = known_.emplace(covered, 0);
    if (fresh) {
        InstructionCosts counts(use_of_.size(), 0);
        for (std::size_t i = 0; i < counts.size(); ++i)
            if (use_of_[i] < uses_.size()) counts[i] = covered[use_of_[i]];
        known->second = extreme_sum(problem_, block_costs(problem_, counts), Side::Upper);
    }
    return known->second;
}

/// An instruction of another place of the scheduler issues in one of its slots, at its point at the
/// latest.
std::int64_t LostToPorts::to_place(const PointsOfPlace& points, const SlotOrder& order,
                                   std::int64_t other) {
    Covered covered;
    for (const Use& use : uses_) {
        const std::int64_t slots = (use.occupancy - 1) / order.slot();
        std::int64_t most_points = 0;
        for (const std::int64_t from : order.slots_of(other))
            most_points = std::max(most_points, points.behind(from, slots));
        covered.push_back(most_points);
    }
    return most(covered);
}

/// The slots of another scheduler with as many places begin any number of cycles later, the same in
/// all rounds; an instruction issues in any cycle of its slot.
std::int64_t LostToPorts::to_scheduler(const PointsOfPlace& points, const SlotOrder& order,
                                       std::int64_t shortest) {
    std::int64_t worst = 0;
    for (std::int64_t later = 0; later < order.round() * order.slot(); ++later) {
        std::int64_t sum = 0;
        for (std::int64_t other = 0; other < order.places(); ++other) {
            Covered covered;
            for (const Use& use : uses_) {
                std::int64_t most_points = 0;
                if (use.core)
                    for (const std::int64_t from : order.slots_of(other))
                        most_points =
                            std::max(most_points, points.within(from * order.slot() + later,
                                                                order.slot() + use.occupancy - 1));
                covered.push_back(std::min(most_points, rounded_up(use.occupancy, shortest)));
            }
            sum = plus(sum, most(covered));
        }
        worst = std::max(worst, sum);
    }
    return worst;
}

std::int64_t LostToPorts::to_any_scheduler(std::int64_t places, std::int64_t shortest) {
    Covered covered;
    for (const Use& use : uses_)
        covered.push_back(use.core ? rounded_up(use.occupancy, shortest) : 0);
    return times(most(covered), places);
}

std::int64_t LostToPorts::of_place(const std::vector<AlikeSchedulers>& schedulers, std::size_t own,
                                   std::int64_t place) {
    constexpr std::int64_t most_steps = std::int64_t{1} << 20U; // For all meetings of two orders.
    const SlotOrder& order = schedulers[own].order;
    const std::int64_t shortest = order.distance(place).shortest;
    const PointsOfPlace points{order, place};
    std::int64_t lost = 0;
    for (std::int64_t other = 0; other < order.places(); ++other)
        if (other != place) lost = plus(lost, to_place(points, order, other));
    for (std::size_t i = 0; i < schedulers.size(); ++i) {
        const std::int64_t count = schedulers[i].count - (i == own ? 1 : 0);
        if (count == 0) continue;
        // Orders of different length meet in all ways.
        const bool fixed =
            i == own && shortest > 1 && order.round() * order.round() * order.slot() <= most_steps;
        const std::int64_t one = fixed ? to_scheduler(points, order, shortest)
                                       : to_any_scheduler(schedulers[i].order.places(), shortest);
        lost = plus(lost, times(one, count));
    }
    return lost;
}

std::int64_t LostToPorts::of_any(std::int64_t shortest) {
    Covered covered;
    for (const Use& use : uses_) {
        const bool harmless = !use.core && use.occupancy <= problem_.shape.issue_slot.hi;
        covered.push_back(harmless ? 0 : rounded_up(use.occupancy, shortest));
    }
    return times(most(covered), problem_.shape.warps());
}

std::int64_t lost_to_stores(const Problem& problem, std::int64_t shortest) {
    const auto of_all = [&](const InstructionCosts& counts) {
        return times(extreme_sum(problem, block_costs(problem, counts), Side::Upper),
                     problem.shape.warps());
    };
    InstructionCosts entering(problem.timings.size(), 0);
    for (std::size_t i = 0; i < entering.size(); ++i)
        entering[i] = enters_write_buffer(problem, i) ? 1 : 0;
    const std::int64_t stores = of_all(entering);
    const std::int64_t entries = problem.buffer_entries.lo;
    // Nobody waits while all stores of the launch fit.
    if (stores <= entries) return 0;
    const std::int64_t drains = of_all(drain_costs(problem, Side::Upper));
    // Points at which each store is in the buffer, of which a lost one has all entries.
    const std::int64_t seen = plus(times(stores, shortest - 1), times(drains, entries));
    return seen / times(entries, shortest);
}

} // namespace warpbound::analyzer
