#include "analyzer/policies/time_division/blocking.hpp"

#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpbound::analyzer {

using models::plus;
using models::times;

namespace {

std::vector<Held> ports_held(const AnalysisContext& context) {
    std::vector<Held> held;
    for (const std::int64_t cycles : port_times(context))
        held.push_back({cycles, cycles > 0 && is_shared_by_all(context, held.size())});
    return held;
}

/// The stores of the launch; they lie in its buffer.
class BufferedStores {
public:
    explicit BufferedStores(const AnalysisContext& context)
        : context_{context}, entries_{context.buffer_entries.lo} {
        const InstructionCosts drains = drain_costs(context, Side::Upper);
        InstructionCosts entering(drains.size(), 0);
        for (std::size_t i = 0; i < entering.size(); ++i)
            entering[i] = enters_write_buffer(context, i) ? 1 : 0;
        stores_ = of_all(entering);
        drains_ = of_all(drains);
        for (const std::int64_t drain : drains)
            longest_drain_ = std::max(longest_drain_, drain);
    }

    /// Nobody waits while all stores of the launch fit.
    [[nodiscard]] bool fit() const { return stores_ <= entries_; }
    [[nodiscard]] bool may_count_entries() const { return context_.buffer_entries.is_exact(); }
    /// From its entry on, in which it finds at most all entries but one before it.
    [[nodiscard]] std::vector<Held> held() const {
        std::vector<Held> held(context_.timings.size());
        for (std::size_t i = 0; i < held.size(); ++i)
            if (enters_write_buffer(context_, i)) held[i] = {times(longest_drain_, entries_), true};
        return held;
    }
    /// Store by store (S23), in slots as far apart as one of `places` says.
    [[nodiscard]] std::int64_t cycles_of_each(const std::vector<SlotDistance>& places) const {
        InstructionCosts costs = drain_costs(context_, Side::Upper);
        for (std::size_t i = 0; i < costs.size(); ++i)
            costs[i] = enters_write_buffer(context_, i) ? blocking_of_store(costs[i], places) : 0;
        return of_all(costs);
    }
    /// At a lost point all entries are taken; `covered`: by all stores.
    [[nodiscard]] std::int64_t lost(std::int64_t covered) const { return covered / entries_; }
    /// Of a warp in such slots: counted in cycles, or store by store.
    [[nodiscard]] std::int64_t lost_by_time(const SlotDistance& slots) const {
        if (fit()) return 0;
        return std::min(plus(times(stores_, slots.shortest - 1), times(drains_, entries_)) /
                            times(entries_, slots.shortest),
                        cycles_of_each({slots}) / slots.longest);
    }
    /// In cycles, of a chain of warps whose slots are as far apart as one of `distances` says.
    [[nodiscard]] std::int64_t cycles_lost(const std::vector<SlotDistance>& distances) const {
        if (fit()) return 0;
        // Where the chain changes its place, points may lie closer by less than a slot.
        const std::int64_t slack = context_.shape.issue_slot.hi - 1;
        const auto cycles = [&](std::int64_t stores, std::int64_t drains) {
            std::int64_t drained = 0;
            std::int64_t longest = 0;
            for (const SlotDistance& slots : distances) {
                const std::int64_t apart = std::max<std::int64_t>(1, slots.shortest - slack);
                drained = std::max(drained, models::divide_up(times(drains, slots.longest), apart));
                longest = std::max(longest, slots.longest);
            }
            return plus(drained, times(stores, longest) / entries_);
        };
        const std::int64_t of_launch =
            std::min(cycles(stores_, drains_), cycles_of_each(distances));
        const LaunchGeometry& shape = context_.shape;
        if (shape.multiprocessors == 1) return of_launch;
        // Of the blocks on the chain's multiprocessors, and what is in the buffer of the second
        // when the chain comes to it.
        const std::int64_t left = context_.buffer_entries.hi;
        const auto of_chain = [&](std::int64_t of_all_warps) {
            return times(of_all_warps / shape.warps(), shape.warps_of_chain());
        };
        return std::min(of_launch, cycles(plus(of_chain(stores_), left),
                                          plus(of_chain(drains_), times(left, longest_drain_))));
    }

private:
    [[nodiscard]] std::int64_t of_all(const InstructionCosts& counts) const {
        return times(most_on_a_path(context_, counts), context_.shape.warps());
    }

    const AnalysisContext& context_;
    std::int64_t entries_;
    std::int64_t stores_ = 0;
    std::int64_t drains_ = 0;
    std::int64_t longest_drain_ = 0;
};

/// What instructions hold of ports and of the write buffer.
struct HeldByWarps {
    BlockedSlots ports;
    BlockedSlots stores;
};

std::vector<std::int64_t> all_places(const SlotTable& order) {
    std::vector<std::int64_t> places(static_cast<std::size_t>(order.places()));
    std::iota(places.begin(), places.end(), 0);
    return places;
}

/// In one wave. `alike`: all warps count alike for each other.
std::map<SlotDistance, SlotBlocking> blocking_by_distance(const AnalysisContext& context,
                                                          HeldByWarps held,
                                                          const BufferedStores& buffered,
                                                          bool alike) {
    const auto schedulers = schedulers_of(context.request.policy, context.shape);
    std::map<SlotDistance, SlotBlocking> lost;
    for (std::size_t own = 0; own < schedulers.size(); ++own) {
        const SlotTable& order = schedulers[own].order;
        for (const std::int64_t place : alike ? order.kinds() : all_places(order)) {
            const SlotDistance distance = order.distance(place);
            SlotBlocking& most = lost[distance];
            most.to_ports = std::max(most.to_ports, held.ports.of_place(schedulers, own, place));
            most.cycles = distance.longest;
            std::int64_t full = buffered.lost_by_time(distance);
            if (full > 0 && buffered.may_count_entries())
                full =
                    std::min(full, buffered.lost(plus(held.stores.of_place(schedulers, own, place),
                                                      held.stores.by_itself(order, place))));
            most.to_stores = std::max(most.to_stores, full);
        }
    }
    return lost;
}

/// Which instructions of a warp of the same block count in a part: also those that hold something
/// when the next part begins.
std::vector<bool> counted_in(const BarrierIntervals& parts, std::size_t part,
                             const std::vector<Held>& held) {
    std::vector<bool> counted = parts.inside[part];
    for (std::size_t i = 0; i < held.size(); ++i)
        if (held[i].cycles > parts.apart) counted[i] = true;
    return counted;
}

/// Cycles lost between two barriers of the warp's block, in the place that loses most.
SlotBlocking lost_in_part(const AnalysisContext& context, const BarrierIntervals& parts,
                          std::size_t part) {
    // Who does not use a port or store in this part waits for none.
    std::vector<bool> units(context.request.architecture->units.size(), false);
    bool any_store = false;
    for (std::size_t i = 0; i < context.used.size(); ++i) {
        if (!parts.inside[part][i]) continue;
        units[context.timings[i].value().unit] = true;
        any_store = any_store || enters_write_buffer(context, i);
    }
    std::vector<Held> ports = ports_held(context);
    for (std::size_t i = 0; i < ports.size(); ++i)
        if (ports[i].cycles > 0 && !units[context.timings[i].value().unit]) ports[i] = {};
    const BufferedStores buffered{context};
    const std::vector<Held> stores = buffered.held();
    SlotBlocking most;
    for (const auto& [distance, slots] :
         blocking_by_distance(context,
                              {{context, ports, counted_in(parts, part, ports)},
                               {context, stores, counted_in(parts, part, stores)}},
                              buffered, context.shape.blocks == 1)) {
        most.to_ports = std::max(most.to_ports, times(slots.to_ports, slots.cycles));
        if (any_store)
            most.to_stores = std::max(most.to_stores, times(slots.to_stores, slots.cycles));
    }
    return most;
}

} // namespace

std::int64_t blocking_of_store(std::int64_t drain, const std::vector<SlotDistance>& places) {
    const SlotDistance any = hull(places);
    std::int64_t meanwhile = 0;
    for (const SlotDistance& slots : places)
        meanwhile = std::max(meanwhile, times(drain, slots.longest) / slots.shortest);
    return plus(any.longest, std::min(meanwhile, times(drain / any.shortest, any.longest)));
}

std::map<SlotDistance, SlotBlocking> blocking_by_distance(const AnalysisContext& context) {
    const BufferedStores buffered{context};
    return blocking_by_distance(
        context, {{context, ports_held(context)}, {context, buffered.held()}}, buffered, true);
}

SlotBlocking blocking_of_any_slot(const AnalysisContext& context,
                                  const std::vector<SlotDistance>& distances,
                                  std::int64_t barriers) {
    BlockedSlots ports{context, ports_held(context)};
    SlotBlocking lost;
    lost.to_stores = BufferedStores{context}.cycles_lost(distances);
    if (context.shape.waves() > 1) {
        lost.to_ports = ports.cycles_of_any(distances);
        return lost;
    }
    for (std::int64_t block = 0; block < context.shape.blocks; ++block)
        lost.to_ports = std::max(lost.to_ports, ports.cycles_of_block(block));
    // Between barriers the chain is in one place.
    SlotBlocking in_parts;
    const auto add = [&](const SlotBlocking& slots, std::int64_t count) {
        in_parts.to_ports = plus(in_parts.to_ports, times(slots.to_ports, count));
        in_parts.to_stores = plus(in_parts.to_stores, times(slots.to_stores, count));
    };
    if (const auto parts = barrier_intervals(context, barriers)) {
        for (std::size_t part = 0; part < parts->inside.size(); ++part)
            add(lost_in_part(context, *parts, part), 1);
    } else {
        SlotBlocking most;
        for (const auto& [distance, slots] : blocking_by_distance(context)) {
            most.to_ports = std::max(most.to_ports, times(slots.to_ports, slots.cycles));
            most.to_stores = std::max(most.to_stores, times(slots.to_stores, slots.cycles));
        }
        add(most, barriers + 1);
    }
    lost.to_ports = std::min(lost.to_ports, in_parts.to_ports);
    lost.to_stores = std::min(lost.to_stores, in_parts.to_stores);
    return lost;
}

} // namespace warpbound::analyzer
