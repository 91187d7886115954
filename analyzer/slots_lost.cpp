#include "analyzer/slots_lost.hpp"

#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

std::int64_t times(std::int64_t a, std::int64_t b) {
    return (models::Cycles{a} * b).count();
}

std::int64_t plus(std::int64_t a, std::int64_t b) {
    return (models::Cycles{a} + models::Cycles{b}).count();
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

CoveredPoints::CoveredPoints(const Problem& problem, std::vector<Held> held)
    : problem_{problem}, held_{std::move(held)}, kinds_{held_} {
    std::sort(kinds_.begin(), kinds_.end());
    kinds_.erase(std::unique(kinds_.begin(), kinds_.end()), kinds_.end());
}

std::int64_t CoveredPoints::most(const Covered& covered) {
    if (std::all_of(covered.begin(), covered.end(), [](std::int64_t n) { return n == 0; }))
        return 0;
    const auto [known, fresh] = known_.emplace(covered, 0);
    if (fresh) {
        InstructionCosts counts;
        for (const Held& held : held_) {
            const auto kind = std::lower_bound(kinds_.begin(), kinds_.end(), held);
            counts.push_back(covered[static_cast<std::size_t>(kind - kinds_.begin())]);
        }
        known->second = extreme_sum(problem_, block_costs(problem_, counts), Side::Upper);
    }
    return known->second;
}

/// An instruction of a place of the same scheduler issues in one of its slots, at its point at the
/// latest.
std::int64_t CoveredPoints::in_time(const Held& held, const PointsOfPlace& points,
                                    const SlotOrder& order, std::int64_t other) {
    std::int64_t most_points = 0;
    if (held.cycles > 0)
        for (const std::int64_t from : order.slots_of(other))
            most_points =
                std::max(most_points, points.behind(from, (held.cycles - 1) / order.slot()));
    return most_points;
}

std::int64_t CoveredPoints::by_place(const PointsOfPlace& points, const SlotOrder& order,
                                     std::int64_t other) {
    Covered covered;
    for (const Held& held : kinds_)
        covered.push_back(in_time(held, points, order, other));
    return most(covered);
}

/// The slots of another scheduler with as many places begin any number of cycles later, the same in
/// all rounds; an instruction issues in any cycle of its slot.
std::int64_t CoveredPoints::by_scheduler(const PointsOfPlace& points, const SlotOrder& order,
                                         std::int64_t shortest) {
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
            sum = plus(sum, most(covered));
        }
        worst = std::max(worst, sum);
    }
    return worst;
}

std::int64_t CoveredPoints::by_any_scheduler(std::int64_t places, std::int64_t shortest) {
    Covered covered;
    for (const Held& held : kinds_)
        covered.push_back(held.core ? models::divide_up(held.cycles, shortest) : 0);
    return times(most(covered), places);
}

std::int64_t CoveredPoints::of_place(const std::vector<AlikeSchedulers>& schedulers,
                                     std::size_t own, std::int64_t place) {
    constexpr std::int64_t most_steps = std::int64_t{1} << 20U; // For all meetings of two orders.
    const SlotOrder& order = schedulers[own].order;
    const std::int64_t shortest = order.distance(place).shortest;
    const PointsOfPlace points{order, place};
    std::int64_t covered = 0;
    for (std::int64_t other = 0; other < order.places(); ++other)
        if (other != place) covered = plus(covered, by_place(points, order, other));
    for (std::size_t i = 0; i < schedulers.size(); ++i) {
        const std::int64_t count = schedulers[i].count - (i == own ? 1 : 0);
        if (count == 0) continue;
        // Orders of different length meet in all ways.
        const bool fixed =
            i == own && shortest > 1 && order.round() * order.round() * order.slot() <= most_steps;
        const std::int64_t one = fixed ? by_scheduler(points, order, shortest)
                                       : by_any_scheduler(schedulers[i].order.places(), shortest);
        covered = plus(covered, times(one, count));
    }
    return covered;
}

std::int64_t CoveredPoints::by_itself(const SlotOrder& order, std::int64_t place) {
    if (order.places() == 1) return by_any_scheduler(1, 1);
    bool in_pairs = false;
    for (std::size_t i = 0; i < problem_.timings.size(); ++i)
        in_pairs = in_pairs || (problem_.used[i] && problem_.timings[i] && order.slot() == 1 &&
                                problem_.timings[i].value().gap.lo == 0);
    const PointsOfPlace points{order, place};
    Covered covered;
    for (const Held& held : kinds_)
        covered.push_back(in_time(held, points, order, place) +
                          (in_pairs && held.cycles > 0 ? 1 : 0));
    return most(covered);
}

std::int64_t CoveredPoints::cycles_of_block(std::int64_t block) {
    const LaunchShape& shape = problem_.shape;
    const std::int64_t warps = shape.resident * shape.warps_per_block;
    std::vector<SlotOrder> orders; // By scheduler.
    for (std::int64_t first = 0; first < std::min(warps, shape.schedulers); ++first)
        orders.emplace_back(problem_.request.policy, (warps - first - 1) / shape.schedulers + 1,
                            shape.issue_slot.hi);
    std::vector<Covered> cycles(static_cast<std::size_t>(warps), Covered(kinds_.size(), 0));
    for (std::int64_t i = 0; i < shape.warps_per_block; ++i) {
        const std::int64_t warp = block * shape.warps_per_block + i;
        const SlotOrder& order = orders[static_cast<std::size_t>(warp % shape.schedulers)];
        const std::int64_t place = warp / shape.schedulers;
        const SlotDistance distance = order.distance(place);
        const PointsOfPlace points{order, place};
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

std::int64_t CoveredPoints::cycles_of_any(const std::vector<SlotDistance>& distances) {
    Covered cycles;
    for (const Held& held : kinds_) {
        std::int64_t most_cycles = 0;
        const bool harmless = !held.core && held.cycles <= problem_.shape.issue_slot.hi;
        if (!harmless)
            for (const SlotDistance& slots : distances)
                most_cycles =
                    std::max(most_cycles,
                             times(models::divide_up(held.cycles, slots.shortest), slots.longest));
        cycles.push_back(most_cycles);
    }
    return times(most(cycles), problem_.shape.warps());
}

namespace {

std::vector<Held> ports_held(const Problem& problem) {
    std::vector<Held> held;
    for (const std::int64_t cycles : port_times(problem))
        held.push_back({cycles, cycles > 0 && is_shared_by_all(problem, held.size())});
    return held;
}

/// The stores of the launch; they lie in its buffer.
class BufferedStores {
public:
    explicit BufferedStores(const Problem& problem)
        : problem_{problem}, entries_{problem.buffer_entries.lo} {
        const InstructionCosts drains = drain_costs(problem, Side::Upper);
        InstructionCosts entering(drains.size(), 0);
        for (std::size_t i = 0; i < entering.size(); ++i)
            entering[i] = enters_write_buffer(problem, i) ? 1 : 0;
        stores_ = of_all(entering);
        drains_ = of_all(drains);
        for (const std::int64_t drain : drains)
            longest_drain_ = std::max(longest_drain_, drain);
    }

    /// Nobody waits while all stores of the launch fit.
    [[nodiscard]] bool fit() const { return stores_ <= entries_; }
    [[nodiscard]] bool may_count_entries() const { return problem_.buffer_entries.is_exact(); }
    /// From its entry on, in which it finds at most all entries but one before it.
    [[nodiscard]] std::vector<Held> held() const {
        std::vector<Held> held(problem_.timings.size());
        for (std::size_t i = 0; i < held.size(); ++i)
            if (enters_write_buffer(problem_, i)) held[i] = {times(longest_drain_, entries_), true};
        return held;
    }
    /// At a lost point all entries are taken; `covered`: by all stores.
    [[nodiscard]] std::int64_t lost(std::int64_t covered) const { return covered / entries_; }
    /// Counted in cycles, of a warp whose points are at least `shortest` apart.
    [[nodiscard]] std::int64_t lost_by_time(std::int64_t shortest) const {
        if (fit()) return 0;
        return plus(times(stores_, shortest - 1), times(drains_, entries_)) /
               times(entries_, shortest);
    }
    /// In cycles, of a chain of warps whose slots are as far apart as one of `distances` says.
    [[nodiscard]] std::int64_t cycles_lost(const std::vector<SlotDistance>& distances) const {
        if (fit()) return 0;
        // Where the chain changes its place, points may lie closer by less than a slot.
        const std::int64_t slack = problem_.shape.issue_slot.hi - 1;
        std::int64_t drained = 0;
        std::int64_t longest = 0;
        for (const SlotDistance& slots : distances) {
            const std::int64_t apart = std::max<std::int64_t>(1, slots.shortest - slack);
            drained = std::max(drained, models::divide_up(times(drains_, slots.longest), apart));
            longest = std::max(longest, slots.longest);
        }
        return plus(drained, times(stores_, longest) / entries_);
    }

private:
    [[nodiscard]] std::int64_t of_all(const InstructionCosts& counts) const {
        return times(extreme_sum(problem_, block_costs(problem_, counts), Side::Upper),
                     problem_.shape.warps());
    }

    const Problem& problem_;
    std::int64_t entries_;
    std::int64_t stores_ = 0;
    std::int64_t drains_ = 0;
    std::int64_t longest_drain_ = 0;
};

} // namespace

std::map<SlotDistance, LostSlots> lost_slots(const Problem& problem) {
    const auto schedulers = schedulers_of(problem.request.policy, problem.shape);
    CoveredPoints ports{problem, ports_held(problem)};
    const BufferedStores buffered{problem};
    CoveredPoints stores{problem, buffered.held()};
    std::map<SlotDistance, LostSlots> lost;
    for (std::size_t own = 0; own < schedulers.size(); ++own) {
        const SlotOrder& order = schedulers[own].order;
        for (const std::int64_t place : order.kinds()) {
            const SlotDistance distance = order.distance(place);
            LostSlots& most = lost[distance];
            most.to_ports = std::max(most.to_ports, ports.of_place(schedulers, own, place));
            most.cycles = distance.longest;
            std::int64_t full = buffered.lost_by_time(distance.shortest);
            if (full > 0 && buffered.may_count_entries())
                full = std::min(full, buffered.lost(plus(stores.of_place(schedulers, own, place),
                                                         stores.by_itself(order, place))));
            most.to_stores = std::max(most.to_stores, full);
        }
    }
    return lost;
}

LostSlots lost_between_places(const Problem& problem, const std::vector<SlotDistance>& distances,
                              std::int64_t barriers) {
    CoveredPoints ports{problem, ports_held(problem)};
    LostSlots lost;
    lost.to_stores = BufferedStores{problem}.cycles_lost(distances);
    if (problem.shape.waves() > 1) {
        lost.to_ports = ports.cycles_of_any(distances);
        return lost;
    }
    for (std::int64_t block = 0; block < problem.shape.blocks; ++block)
        lost.to_ports = std::max(lost.to_ports, ports.cycles_of_block(block));
    // Between barriers the chain is in one place.
    LostSlots in_one_place;
    for (const auto& [distance, slots] : lost_slots(problem)) {
        in_one_place.to_ports =
            std::max(in_one_place.to_ports, times(slots.to_ports, slots.cycles));
        in_one_place.to_stores =
            std::max(in_one_place.to_stores, times(slots.to_stores, slots.cycles));
    }
    lost.to_ports = std::min(lost.to_ports, times(in_one_place.to_ports, barriers + 1));
    lost.to_stores = std::min(lost.to_stores, times(in_one_place.to_stores, barriers + 1));
    return lost;
}

} // namespace warpbound::analyzer
