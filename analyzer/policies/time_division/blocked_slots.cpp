#include "analyzer/policies/time_division/blocked_slots.hpp"

#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

using models::plus;
using models::times;

BlockedSlots::BlockedSlots(const AnalysisContext& context, std::vector<Held> held,
                           std::vector<bool> of_own_block)
    : context_{context}, held_{std::move(held)},
      of_own_block_{std::move(of_own_block)}, kinds_{held_} {
    std::sort(kinds_.begin(), kinds_.end());
    kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
}

bool BlockedSlots::in_one_block(std::int64_t place, std::int64_t other) const {
    const LaunchGeometry& shape = context_.shape;
    if (shape.blocks == 1) return true;
    if (shape.warps_per_block % shape.schedulers != 0) return false;
    const std::int64_t of_block = shape.warps_per_block / shape.schedulers;
    return place / of_block == other / of_block;
}

std::int64_t BlockedSlots::most(const Covered& covered, bool own_block) {
    if (std::all_of(covered.begin(), covered.end(), [](std::int64_t n) { return n == 0; }))
        return 0;
    const bool some_only = own_block && !of_own_block_.empty();
    const auto [known, fresh] = known_.emplace(std::pair{some_only, covered}, 0);
    if (fresh) {
        InstructionCosts counts;
        for (std::size_t i = 0; i < held_.size(); ++i) {
            const auto kind = std::lower_bound(kinds_.begin(), kinds_.end(), held_[i]);
            const bool counted = !some_only || of_own_block_[i];
            counts.push_back(counted ? covered[static_cast<std::size_t>(kind - kinds_.begin())]
                                     : 0);
        }
        known->second = most_on_a_path(context_, counts);
    }
    return known->second;
}

/// An instruction of a place of the same scheduler issues in one of its slots, at its point at the
/// latest.
std::int64_t BlockedSlots::in_time(const Held& held, const SlotBoundaries& points,
                                   const SlotTable& order, std::int64_t other) {
    std::int64_t most_points = 0;
    if (held.cycles > 0)
        for (const std::int64_t from : order.slots_of(other))
            most_points =
                std::max(most_points, points.behind(from, (held.cycles - 1) / order.slot()));
    return most_points;
}

std::int64_t BlockedSlots::by_place(const SlotBoundaries& points, const SlotTable& order,
                                    std::int64_t place, std::int64_t other) {
    Covered covered;
    for (const Held& held : kinds_)
        covered.push_back(in_time(held, points, order, other));
    return most(covered, in_one_block(place, other));
}

/// The slots of another scheduler with as many places begin any number of cycles later, the same in
/// all rounds; an instruction issues in any cycle of its slot.
std::int64_t BlockedSlots::by_scheduler(const SlotBoundaries& points, const SlotTable& order,
                                        std::int64_t place) {
    const std::int64_t shortest = order.distance(place).shortest;
    std::int64_t worst = 0;
    for (std::int64_t later = 0; later < order.round() * order.slot(); ++later) {
        std::int64_t sum = 0;
        for (std::int64_t other = 0; other < order.places(); ++other) {
            Covered covered;
            for (const Held& held : kinds_) {
                std::int64_t most_points = 0;
                if (held.core && held.cycles > 0)
                    for (const std::int64_t from : order.slots_of(other))
                        most_points =
                            std::max(most_points, points.within(from * order.slot() + later,
                                                                order.slot() + held.cycles - 1));
                covered.push_back(std::min(most_points, models::divide_up(held.cycles, shortest)));
            }
            sum = plus(sum, most(covered, in_one_block(place, other)));
        }
        worst = std::max(worst, sum);
    }
    return worst;
}

std::int64_t BlockedSlots::by_any_scheduler(std::int64_t places, std::int64_t shortest,
                                            bool own_block) {
    Covered covered;
    for (const Held& held : kinds_)
        covered.push_back(held.core ? models::divide_up(held.cycles, shortest) : 0);
    return times(most(covered, own_block), places);
}

std::int64_t BlockedSlots::of_place(const std::vector<EquivalentSchedulers>& schedulers,
                                    std::size_t own, std::int64_t place) {
    constexpr std::int64_t most_steps = std::int64_t{1} << 20U; // For all meetings of two orders.
    const SlotTable& order = schedulers[own].order;
    const std::int64_t shortest = order.distance(place).shortest;
    const SlotBoundaries points{order, place};
    std::int64_t covered = 0;
    for (std::int64_t other = 0; other < order.places(); ++other)
        if (other != place) covered = plus(covered, by_place(points, order, place, other));
    for (std::size_t i = 0; i < schedulers.size(); ++i) {
        const std::int64_t count = schedulers[i].count - (i == own ? 1 : 0);
        if (count == 0) continue;
        // Orders of different length meet in all ways.
        const bool fixed =
            i == own && shortest > 1 && order.round() * order.round() * order.slot() <= most_steps;
        const std::int64_t one = fixed ? by_scheduler(points, order, place)
                                       : by_any_scheduler(schedulers[i].order.places(), shortest,
                                                          context_.shape.blocks == 1);
        covered = plus(covered, times(one, count));
    }
    return covered;
}

std::int64_t BlockedSlots::by_itself(const SlotTable& order, std::int64_t place) {
    if (order.places() == 1) return by_any_scheduler(1, 1, true);
    bool in_pairs = false;
    for (std::size_t i = 0; i < context_.timings.size(); ++i)
        in_pairs = in_pairs || (context_.used[i] && context_.timings[i] && order.slot() == 1 &&
                                context_.timings[i].value().gap.lo == 0);
    const SlotBoundaries points{order, place};
    Covered covered;
    for (const Held& held : kinds_)
        covered.push_back(in_time(held, points, order, place) +
                          (in_pairs && held.cycles > 0 ? 1 : 0));
    return most(covered, true);
}

std::int64_t BlockedSlots::cycles_of_block(std::int64_t block) {
    const LaunchGeometry& shape = context_.shape;
    const std::int64_t warps = shape.resident * shape.warps_per_block;
    std::vector<SlotTable> orders; // By scheduler.
    for (std::int64_t first = 0; first < std::min(warps, shape.schedulers); ++first)
        orders.emplace_back(context_.request.policy, (warps - first - 1) / shape.schedulers + 1,
                            shape.issue_slot.hi);
    std::vector<Covered> cycles(static_cast<std::size_t>(warps), Covered(kinds_.size(), 0));
    for (std::int64_t i = 0; i < shape.warps_per_block; ++i) {
        const std::int64_t warp = block * shape.warps_per_block + i;
        const SlotTable& order = orders[static_cast<std::size_t>(warp % shape.schedulers)];
        const std::int64_t place = warp / shape.schedulers;
        const SlotDistance distance = order.distance(place);
        const SlotBoundaries points{order, place};
        for (std::int64_t other = 0; other < warps; ++other) {
            if (other == warp) continue;
            const bool beside = (other - warp) % shape.schedulers == 0;
            for (std::size_t kind = 0; kind < kinds_.size(); ++kind) {
                const Held& held = kinds_[kind];
                std::int64_t most_points =
                    held.core ? models::divide_up(held.cycles, distance.shortest) : 0;
                if (beside) most_points = in_time(held, points, order, other / shape.schedulers);
                std::int64_t& most_cycles = cycles[static_cast<std::size_t>(other)][kind];
                most_cycles = std::max(most_cycles, times(most_points, distance.longest));
            }
        }
    }
    std::int64_t sum = 0;
    for (const Covered& of_warp : cycles)
        sum = plus(sum, most(of_warp));
    return sum;
}

std::int64_t BlockedSlots::cycles_of_any(const std::vector<SlotDistance>& distances) {
    const LaunchGeometry& shape = context_.shape;
    Covered cycles;
    std::int64_t apart = 0;
    for (const SlotDistance& slots : distances)
        apart = std::max(apart, slots.longest);
    std::int64_t straddle = 0; // What still holds a port when the chain changes multiprocessors.
    for (const Held& held : kinds_) {
        std::int64_t most_cycles = 0;
        const bool harmless = !held.core && held.cycles <= shape.issue_slot.hi;
        if (!harmless && held.cycles > 0)
            straddle = std::max(straddle, plus(held.cycles, apart - 1));
        if (!harmless)
            for (const SlotDistance& slots : distances)
                most_cycles =
                    std::max(most_cycles,
                             times(models::divide_up(held.cycles, slots.shortest), slots.longest));
        cycles.push_back(most_cycles);
    }
    const std::int64_t of_warp = most(cycles);
    const std::int64_t of_launch = times(of_warp, shape.warps());
    if (shape.multiprocessors == 1) return of_launch;
    return std::min(of_launch, plus(times(of_warp, shape.warps_of_chain()), straddle));
}

} // namespace warpbound::analyzer
