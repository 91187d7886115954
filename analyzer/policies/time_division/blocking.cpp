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

namespace {

/// By instruction: the port that others wait for.
std::vector<ResourceOccupancy> port_occupancies(const TimedKernel& kernel) {
    std::vector<ResourceOccupancy> occupancies;
    for (const std::int64_t cycles : port_times(kernel))
        occupancies.push_back({cycles, cycles > 0 && is_shared_by_all(kernel, occupancies.size())});
    return occupancies;
}

std::vector<ResourceOccupancy> stage_occupancies(const TimedKernel& kernel,
                                                 const LaunchGeometry& shape) {
    const std::int64_t hold = cycles_of_hold(kernel, shape);
    std::vector<ResourceOccupancy> occupancies;
    for (const std::int64_t slots : slots_held_by_reads(kernel, shape))
        occupancies.push_back(slots > 0 ? ResourceOccupancy{plus(hold, 2), false, slots}
                                        : ResourceOccupancy{});
    return occupancies;
}

/// Longest time for which one store blocks a critical path that waits for the write buffer, with
/// these slot distances: one slot, and the slots that elapse while the store drains.
std::int64_t blocking_of_store(std::int64_t drain, const std::vector<SlotDistance>& distances) {
    const SlotDistance any = hull(distances);
    std::int64_t meanwhile = 0;
    for (const SlotDistance& slots : distances)
        meanwhile = std::max(meanwhile, times(drain, slots.longest) / slots.shortest);
    return plus(any.longest, std::min(meanwhile, times(drain / any.shortest, any.longest)));
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
    /// Blocking counted per store, with the slot distances `distances`.
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

/// The longest time of each resource.
void keep_longest(SlotBlocking& most, SlotBlocking other) {
    if (most.by_ports < other.by_ports) most.by_ports = std::move(other.by_ports);
    if (most.by_reads < other.by_reads) most.by_reads = std::move(other.by_reads);
    most.by_stores = std::max(most.by_stores, other.by_stores);
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
            const auto time_in = [&](BlockedSlots& resource) {
                return resource.time_of(resource.of_warp_slot(schedulers, own, warp_slot),
                                        distance.longest);
            };
            SlotBlocking of_slot;
            of_slot.by_ports = time_in(blocking.ports);
            of_slot.by_reads = time_in(blocking.stages);
            of_slot.by_stores = buffered.blocked_by_time(distance);
            if (of_slot.by_stores > 0 && buffered.may_count_entries())
                of_slot.by_stores =
                    std::min(of_slot.by_stores,
                             buffered.blocked_slots(plus(
                                 blocking.stores.of_warp_slot(schedulers, own, warp_slot).slots,
                                 blocking.stores.by_itself(order, warp_slot))));
            SlotBlocking& most = by_distance[distance];
            most.slot_of_store = distance.longest;
            keep_longest(most, std::move(of_slot));
        }
    }
    return by_distance;
}

/// The longest time of each resource in one warp slot. `Unit:` core cycles, of `by_stores` too.
SlotBlocking longest_of(std::map<SlotDistance, SlotBlocking> by_distance) {
    SlotBlocking most;
    for (auto& [distance, slots] : by_distance) {
        slots.by_stores = times(slots.by_stores, slots.slot_of_store);
        keep_longest(most, std::move(slots));
    }
    return most;
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
    SlotBlocking most = longest_of(
        blocking_by_distance(launch,
                             {{kernel, launch, ports, counted_in(intervals, interval, ports)},
                              {kernel, launch, stores, counted_in(intervals, interval, stores)},
                              {kernel, launch, stages, counted_in(intervals, interval, stages)}},
                             buffered, launch.shape.has_one_block()));
    if (!any_store) most.by_stores = 0;
    return most;
}

/// At most `warps` of a critical path block it, each with these costs.
BlockedTime by_so_many(const TimedKernel& kernel, InstructionCosts costs, models::Warps warps) {
    const std::int64_t cycles = times(most_on_a_path(kernel, costs), warps);
    if (cycles == 0) return {};
    return {cycles, {{std::move(costs), warps.count()}}};
}

/// The smaller one: by all warps of the launch, or by those along the critical path and by what
/// other blocks left behind.
void keep_smaller(BlockedTime& of_launch, std::int64_t& left, BlockedTime of_path,
                  std::int64_t left_by_others) {
    if (plus(of_path.cycles, left_by_others) >= of_launch.cycles) return;
    of_launch = std::move(of_path);
    left = left_by_others;
}

/// In several waves.
SlotBlocking blocking_in_waves(const TimedKernel& kernel, const LaunchGeometry& shape,
                               const std::vector<SlotDistance>& distances) {
    const SlotDistance any = hull(distances);
    InstructionCosts ports;
    std::int64_t longest_left = 0;
    for (const ResourceOccupancy& port : port_occupancies(kernel)) {
        std::int64_t most_blocked = 0;
        // A port of the scheduler that is free after one slot is free at the next slot boundary.
        if (port.cycles > 0 && (port.core || port.cycles > shape.issue_slot.hi)) {
            longest_left = std::max(longest_left, plus(port.cycles, any.longest - 1));
            for (const SlotDistance& slots : distances)
                most_blocked =
                    std::max(most_blocked,
                             times(models::divide_up(port.cycles, slots.shortest), slots.longest));
        }
        ports.push_back(most_blocked);
    }
    const std::int64_t hold = cycles_of_hold(kernel, shape);
    const InstructionCosts stages = time_held_by_reads(kernel, shape, any);
    SlotBlocking blocking;
    blocking.by_ports = by_so_many(kernel, ports, shape.warps());
    if (hold > 0) blocking.by_reads = by_so_many(kernel, stages, shape.warps());
    if (shape.multiprocessors > 1) {
        const models::Warps on_path = shape.warps_along_critical_path();
        keep_smaller(blocking.by_ports, blocking.left_by_ports, by_so_many(kernel, ports, on_path),
                     longest_left);
        keep_smaller(blocking.by_reads, blocking.left_by_reads, by_so_many(kernel, stages, on_path),
                     times(boundaries_on_path(shape, hold + 1, any), any.longest));
    }
    // The first slot that is blocked after the start of the last block may follow one before it
    // without an issue in between.
    if (hold > 0) blocking.left_by_reads = plus(blocking.left_by_reads, any.longest);
    blocking.by_stores = BufferedStores{kernel, shape}.blocked_cycles(distances);
    return blocking;
}

/// In barrier intervals, in each of which the critical path is in one warp slot.
SlotBlocking blocking_between_barriers(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                       std::int64_t barriers) {
    SlotBlocking all;
    const auto add = [&](const SlotBlocking& slots, std::int64_t count) {
        all.by_ports.add(slots.by_ports, count);
        all.by_reads.add(slots.by_reads, count);
        all.by_stores = plus(all.by_stores, times(slots.by_stores, count));
    };
    if (const auto intervals = barrier_intervals(kernel, launch.shape, barriers))
        for (std::size_t interval = 0; interval < intervals->executes.size(); ++interval)
            add(blocking_in_interval(kernel, launch, *intervals, interval), 1);
    else
        add(longest_of(blocking_by_distance(kernel, launch)), barriers + 1);
    return all;
}

} // namespace

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
    if (launch.shape.waves() > 1) return blocking_in_waves(kernel, launch.shape, distances);
    BlockedSlots ports{kernel, launch, port_occupancies(kernel)};
    BlockedSlots stages{kernel, launch, stage_occupancies(kernel, launch.shape)};
    SlotBlocking blocking;
    for (std::int64_t block = 0; block < launch.shape.blocks.count(); ++block) {
        blocking.by_ports = std::max(blocking.by_ports, ports.cycles_of_block(block));
        blocking.by_reads = std::max(blocking.by_reads, stages.cycles_in_stages_of_block(block));
    }
    blocking.by_stores = BufferedStores{kernel, launch.shape}.blocked_cycles(distances);
    SlotBlocking in_intervals = blocking_between_barriers(kernel, launch, barriers);
    if (in_intervals.by_ports.cycles < blocking.by_ports.cycles)
        blocking.by_ports = std::move(in_intervals.by_ports);
    if (in_intervals.by_reads.cycles < blocking.by_reads.cycles)
        blocking.by_reads = std::move(in_intervals.by_reads);
    blocking.by_stores = std::min(blocking.by_stores, in_intervals.by_stores);
    return blocking;
}

} // namespace warpbound::analyzer
