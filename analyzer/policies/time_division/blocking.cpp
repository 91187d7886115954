#include "analyzer/policies/time_division/blocking.hpp"

#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"
#include "analyzer/policies/time_division/stage_slots.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace warpbound::analyzer {

using models::plus;
using models::times;

std::vector<ResourceOccupancy> port_occupancies(const TimedKernel& kernel) {
    std::vector<ResourceOccupancy> occupancies;
    for (const std::int64_t cycles : port_times(kernel))
        occupancies.push_back({cycles, cycles > 0 && is_shared_by_all(kernel, occupancies.size())});
    return occupancies;
}

namespace {

std::vector<ResourceOccupancy> stage_occupancies(const TimedKernel& kernel,
                                                 const LaunchGeometry& shape) {
    const std::int64_t hold = cycles_of_hold(kernel, shape);
    std::vector<ResourceOccupancy> occupancies;
    for (const std::int64_t slots : slots_held_by_reads(kernel, shape))
        occupancies.push_back(slots > 0 ? ResourceOccupancy{plus(hold, 2), false, slots}
                                        : ResourceOccupancy{});
    return occupancies;
}

/// The stores of the launch and the time that they occupy the write buffer.
class BufferedStores {
public:
    BufferedStores(const TimedKernel& kernel, const LaunchGeometry& shape)
        : kernel_{kernel}, shape_{shape}, entries_{kernel.write_buffer.entries.lo} {
        const InstructionCosts drains = drain_costs(kernel, Side::Upper);
        InstructionCosts entering(drains.size(), 0);
        for (std::size_t i = 0; i < entering.size(); ++i)
            entering[i] = enters_write_buffer(kernel, i) ? 1 : 0;
        stores_ = of_all(entering);
        drains_ = of_all(drains);
        for (const std::int64_t drain : drains)
            longest_drain_ = std::max(longest_drain_, drain);
    }

    /// Whether all stores of the launch fit in the write buffer, so that none waits.
    [[nodiscard]] bool all_fit() const { return stores_ <= entries_; }
    [[nodiscard]] bool may_count_entries() const { return kernel_.write_buffer.entries.is_exact(); }
    /// Occupancy of a store from its entry on: it finds at most all entries but one occupied.
    [[nodiscard]] std::vector<ResourceOccupancy> occupancies() const {
        std::vector<ResourceOccupancy> occupancies(kernel_.timings.size());
        for (std::size_t i = 0; i < occupancies.size(); ++i)
            if (enters_write_buffer(kernel_, i))
                occupancies[i] = {times(longest_drain_, entries_), true};
        return occupancies;
    }
    /// Blocking counted per store (S23), with the slot distances `distances`.
    [[nodiscard]] std::int64_t cycles_by_store(const std::vector<SlotDistance>& distances) const {
        InstructionCosts costs = drain_costs(kernel_, Side::Upper);
        for (std::size_t i = 0; i < costs.size(); ++i)
            costs[i] = enters_write_buffer(kernel_, i) ? blocking_of_store(costs[i], distances) : 0;
        return of_all(costs);
    }
    /// At a blocked slot all entries are occupied; `boundaries`: slot boundaries within the
    /// occupancies of all stores.
    [[nodiscard]] std::int64_t blocked_slots(std::int64_t boundaries) const {
        return boundaries / entries_;
    }
    /// Blocked slots of a warp with this slot distance: counted by drain time, or per store.
    [[nodiscard]] std::int64_t blocked_by_time(const SlotDistance& slots) const {
        if (all_fit()) return 0;
        return std::min(plus(times(stores_, slots.shortest - 1), times(drains_, entries_)) /
                            times(entries_, slots.shortest),
                        cycles_by_store({slots}) / slots.longest);
    }
    /// Blocked cycles of a critical path with these slot distances.
    [[nodiscard]] std::int64_t blocked_cycles(const std::vector<SlotDistance>& distances) const {
        if (all_fit()) return 0;
        // When the critical path changes its warp slot, slot boundaries may be closer by less than
        // one slot.
        const std::int64_t slack = shape_.issue_slot.hi - 1;
        const auto cycles = [&](std::int64_t stores, std::int64_t drains) {
            std::int64_t drained = 0;
            std::int64_t longest = 0;
            for (const SlotDistance& slots : distances) {
                const std::int64_t distance = std::max<std::int64_t>(1, slots.shortest - slack);
                drained =
                    std::max(drained, models::divide_up(times(drains, slots.longest), distance));
                longest = std::max(longest, slots.longest);
            }
            return plus(drained, times(stores, longest) / entries_);
        };
        const std::int64_t of_launch =
            std::min(cycles(stores_, drains_), cycles_by_store(distances));
        if (shape_.multiprocessors == 1) return of_launch;
        // Stores of the blocks on the multiprocessors of the critical path, and those in the write
        // buffer of the second multiprocessor when the critical path changes to it.
        const std::int64_t left = kernel_.write_buffer.entries.hi;
        const auto on_its_path = [&](std::int64_t of_all_warps) {
            return times(of_all_warps / shape_.warps().count(), shape_.warps_along_critical_path());
        };
        return std::min(of_launch, cycles(plus(on_its_path(stores_), left),
                                          plus(on_its_path(drains_), times(left, longest_drain_))));
    }

private:
    [[nodiscard]] std::int64_t of_all(const InstructionCosts& counts) const {
        return times(most_on_a_path(kernel_, counts), shape_.warps());
    }

    const TimedKernel& kernel_;
    const LaunchGeometry& shape_;
    std::int64_t entries_;
    std::int64_t stores_ = 0;
    std::int64_t drains_ = 0;
    std::int64_t longest_drain_ = 0;
};

/// Blocked slots by occupancies of ports, of the write buffer and of the stages in front of the
/// units.
struct ResourceBlocking {
    BlockedSlots ports;
    BlockedSlots stores;
    BlockedSlots stages;
};

std::vector<std::int64_t> all_warp_slots(const SlotTable& order) {
    std::vector<std::int64_t> warp_slots(static_cast<std::size_t>(order.warp_slots().count()));
    std::iota(warp_slots.begin(), warp_slots.end(), 0);
    return warp_slots;
}

/// In one wave. `symmetric`: all warps interfere alike, so that one warp slot of each kind
/// suffices.
std::map<SlotDistance, SlotBlocking> blocking_by_distance(const ScheduledLaunch& launch,
                                                          ResourceBlocking blocking,
                                                          const BufferedStores& buffered,
                                                          bool symmetric) {
    const auto schedulers = schedulers_of(launch.policy, launch.shape);
    std::map<SlotDistance, SlotBlocking> by_distance;
    for (std::size_t own = 0; own < schedulers.size(); ++own) {
        const SlotTable& order = schedulers[own].table;
        for (const std::int64_t warp_slot :
             symmetric ? order.representatives() : all_warp_slots(order)) {
            const SlotDistance distance = order.distance(warp_slot);
            SlotBlocking& most = by_distance[distance];
            most.by_ports = std::max(most.by_ports,
                                     blocking.ports.of_warp_slot(schedulers, own, warp_slot).slots);
            most.by_reads = std::max(
                most.by_reads, blocking.stages.of_warp_slot(schedulers, own, warp_slot).slots);
            most.cycles = distance.longest;
            std::int64_t full = buffered.blocked_by_time(distance);
            if (full > 0 && buffered.may_count_entries())
                full = std::min(
                    full, buffered.blocked_slots(
                              plus(blocking.stores.of_warp_slot(schedulers, own, warp_slot).slots,
                                   blocking.stores.by_itself(order, warp_slot))));
            most.by_stores = std::max(most.by_stores, full);
        }
    }
    return by_distance;
}

/// Instructions of a warp of the same block that count in a barrier interval: also earlier ones
/// whose occupancy may last until the interval begins (carry-in).
std::vector<bool> counted_in(const BarrierIntervals& intervals, std::size_t interval,
                             const std::vector<ResourceOccupancy>& occupancies) {
    std::vector<bool> counted = intervals.executes[interval];
    for (std::size_t i = 0; i < occupancies.size(); ++i)
        if (occupancies[i].cycles > intervals.least_barrier_latency) counted[i] = true;
    return counted;
}

/// Largest blocking of a warp slot in one barrier interval. Unit: cycles.
SlotBlocking blocking_in_interval(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                  const BarrierIntervals& intervals, std::size_t interval) {
    // A warp that uses no port of a unit (no store) in this interval does not wait for one.
    std::vector<bool> units(kernel.architecture->units.size(), false);
    bool any_store = false;
    for (std::size_t i = 0; i < kernel.used.size(); ++i) {
        if (!intervals.executes[interval][i]) continue;
        units[kernel.timings[i].value().unit] = true;
        any_store = any_store || enters_write_buffer(kernel, i);
    }
    std::vector<ResourceOccupancy> ports = port_occupancies(kernel);
    for (std::size_t i = 0; i < ports.size(); ++i)
        if (ports[i].cycles > 0 && !units[kernel.timings[i].value().unit]) ports[i] = {};
    const BufferedStores buffered{kernel, launch.shape};
    const std::vector<ResourceOccupancy> stores = buffered.occupancies();
    const std::vector<ResourceOccupancy> stages = stage_occupancies(kernel, launch.shape);
    SlotBlocking most;
    for (const auto& [distance, slots] :
         blocking_by_distance(launch,
                              {{kernel, launch, ports, counted_in(intervals, interval, ports)},
                               {kernel, launch, stores, counted_in(intervals, interval, stores)},
                               {kernel, launch, stages, counted_in(intervals, interval, stages)}},
                              buffered, launch.shape.has_one_block())) {
        most.by_ports = std::max(most.by_ports, times(slots.by_ports, slots.cycles));
        most.by_reads = std::max(most.by_reads, times(slots.by_reads, slots.cycles));
        if (any_store)
            most.by_stores = std::max(most.by_stores, times(slots.by_stores, slots.cycles));
    }
    return most;
}

} // namespace

std::int64_t blocking_of_store(std::int64_t drain, const std::vector<SlotDistance>& distances) {
    const SlotDistance any = hull(distances);
    std::int64_t meanwhile = 0;
    for (const SlotDistance& slots : distances)
        meanwhile = std::max(meanwhile, times(drain, slots.longest) / slots.shortest);
    return plus(any.longest, std::min(meanwhile, times(drain / any.shortest, any.longest)));
}

std::map<SlotDistance, SlotBlocking> blocking_by_distance(const TimedKernel& kernel,
                                                          const ScheduledLaunch& launch) {
    const BufferedStores buffered{kernel, launch.shape};
    return blocking_by_distance(launch,
                                {{kernel, launch, port_occupancies(kernel)},
                                 {kernel, launch, buffered.occupancies()},
                                 {kernel, launch, stage_occupancies(kernel, launch.shape)}},
                                buffered, true);
}

SlotBlocking blocking_of_any_slot(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                  const std::vector<SlotDistance>& distances,
                                  std::int64_t barriers) {
    BlockedSlots ports{kernel, launch, port_occupancies(kernel)};
    BlockedSlots stages{kernel, launch, stage_occupancies(kernel, launch.shape)};
    SlotBlocking blocking;
    blocking.by_stores = BufferedStores{kernel, launch.shape}.blocked_cycles(distances);
    if (launch.shape.waves() > 1) {
        blocking.by_ports = ports.cycles_of_any(distances);
        blocking.by_reads = stages.cycles_in_stages_of_any(distances);
        return blocking;
    }
    for (std::int64_t block = 0; block < launch.shape.blocks.count(); ++block) {
        blocking.by_ports = std::max(blocking.by_ports, ports.cycles_of_block(block).slots);
        blocking.by_reads = std::max(blocking.by_reads, stages.cycles_in_stages_of_block(block));
    }
    // In a barrier interval the critical path is in one warp slot.
    SlotBlocking in_intervals;
    const auto add = [&](const SlotBlocking& slots, std::int64_t count) {
        in_intervals.by_ports = plus(in_intervals.by_ports, times(slots.by_ports, count));
        in_intervals.by_stores = plus(in_intervals.by_stores, times(slots.by_stores, count));
        in_intervals.by_reads = plus(in_intervals.by_reads, times(slots.by_reads, count));
    };
    if (const auto intervals = barrier_intervals(kernel, launch.shape, barriers)) {
        for (std::size_t interval = 0; interval < intervals->executes.size(); ++interval)
            add(blocking_in_interval(kernel, launch, *intervals, interval), 1);
    } else {
        SlotBlocking most;
        for (const auto& [distance, slots] : blocking_by_distance(kernel, launch)) {
            most.by_ports = std::max(most.by_ports, times(slots.by_ports, slots.cycles));
            most.by_stores = std::max(most.by_stores, times(slots.by_stores, slots.cycles));
            most.by_reads = std::max(most.by_reads, times(slots.by_reads, slots.cycles));
        }
        add(most, barriers + 1);
    }
    blocking.by_ports = std::min(blocking.by_ports, in_intervals.by_ports);
    blocking.by_stores = std::min(blocking.by_stores, in_intervals.by_stores);
    blocking.by_reads = std::min(blocking.by_reads, in_intervals.by_reads);
    return blocking;
}

} // namespace warpbound::analyzer
