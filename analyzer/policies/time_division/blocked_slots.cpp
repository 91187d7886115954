#include "analyzer/policies/time_division/blocked_slots.hpp"

#include "analyzer/policies/time_division/stage_slots.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

using models::plus;
using models::times;

BlockedSlots::BlockedSlots(const TimedKernel& kernel, const ScheduledLaunch& launch,
                           std::vector<ResourceOccupancy> occupancies,
                           std::vector<bool> of_own_block)
    : kernel_{kernel}, launch_{launch}, occupancies_{std::move(occupancies)},
      of_own_block_{std::move(of_own_block)}, distinct_{occupancies_} {
    std::sort(distinct_.begin(), distinct_.end());
    distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
}

bool BlockedSlots::in_one_block(std::int64_t warp_slot, std::int64_t other) const {
    const LaunchGeometry& shape = launch_.shape;
    if (shape.has_one_block()) return true;
    const std::int64_t per_block = shape.warps_per_block.count();
    if (per_block % shape.schedulers != 0) return false;
    const std::int64_t of_block = per_block / shape.schedulers;
    return warp_slot / of_block == other / of_block;
}

void SlotsByWarps::add(const SlotsByWarps& other, std::int64_t count) {
    slots = plus(slots, times(other.slots, count));
    for (const auto& [blocked, of_other] : other.warps)
        warps[blocked] = plus(warps[blocked], times(of_other, count));
}

void BlockedTime::add(const BlockedTime& other, std::int64_t count) {
    cycles = plus(cycles, times(other.cycles, count));
    for (const auto& [costs, of_other] : other.warps)
        warps[costs] = plus(warps[costs], times(of_other, count));
}

InstructionCosts BlockedSlots::costs_of(const SlotsByUse& blocked, std::int64_t cycles) const {
    InstructionCosts costs;
    for (std::size_t i = 0; i < occupancies_.size(); ++i) {
        const auto entry = std::lower_bound(distinct_.begin(), distinct_.end(), occupancies_[i]);
        const bool counts = !blocked.of_own_block || of_own_block_[i];
        const std::int64_t slots =
            blocked.slots[static_cast<std::size_t>(entry - distinct_.begin())];
        costs.push_back(counts ? times(slots, cycles) : 0);
    }
    return costs;
}

BlockedTime BlockedSlots::time_of(const SlotsByWarps& blocked, std::int64_t cycles) const {
    BlockedTime time{times(blocked.slots, cycles), {}};
    for (const auto& [slots, warps] : blocked.warps)
        time.warps[costs_of(slots, cycles)] += warps;
    return time;
}

std::int64_t BlockedSlots::most(const Blocked& blocked, bool own_block) {
    if (std::all_of(blocked.begin(), blocked.end(), [](std::int64_t n) { return n == 0; }))
        return 0;
    const SlotsByUse slots{counts_some_only(own_block), blocked};
    const auto [found, is_new] = memo_.emplace(slots, 0);
    if (is_new) found->second = most_on_a_path(kernel_, costs_of(slots, 1));
    return found->second;
}

SlotsByWarps BlockedSlots::by_warps(const Blocked& blocked, bool own_block, std::int64_t count) {
    const std::int64_t slots = times(most(blocked, own_block), count);
    if (slots == 0) return {};
    return {slots, {{{counts_some_only(own_block), blocked}, count}}};
}

/// An instruction of another warp of the same scheduler issues in one of its slots, at the slot
/// boundary at the latest.
std::int64_t BlockedSlots::within_occupancy(const ResourceOccupancy& occupancy,
                                            const SlotBoundaries& boundaries,
                                            const SlotTable& table, std::int64_t other) {
    std::int64_t most_blocked = 0;
    if (occupancy.cycles == 0) return most_blocked;
    // A warp that owns all slots may be held in each cycle.
    if (occupancy.most_blocked && table.warp_slots() == models::Warps{1})
        return std::min(occupancy.cycles - 2, *occupancy.most_blocked);
    // The boundary of the slot that follows one of a single cycle is in the cycle after the issue.
    const std::int64_t early = occupancy.most_blocked && table.slot_length() == 1 ? 1 : 0;
    const std::int64_t slots = (occupancy.cycles - 1) / table.slot_length();
    for (const std::int64_t from : table.slots_of(other))
        most_blocked = std::max(most_blocked, boundaries.after(from + early, slots - early));
    return std::min(most_blocked, occupancy.most_blocked.value_or(most_blocked));
}

SlotsByWarps BlockedSlots::by_warp_slot(const SlotBoundaries& boundaries, const SlotTable& table,
                                        std::int64_t warp_slot, std::int64_t other) {
    Blocked blocked;
    for (const ResourceOccupancy& occupancy : distinct_) {
        const bool counts = other != warp_slot || occupancy.most_blocked;
        blocked.push_back(counts ? within_occupancy(occupancy, boundaries, table, other) : 0);
    }
    return by_warps(blocked, in_one_block(warp_slot, other));
}

/// The slots of another scheduler with as many warp slots begin at any phase, which is the same in
/// all periods; an instruction issues in any cycle of its slot.
SlotsByWarps BlockedSlots::by_scheduler(const SlotBoundaries& boundaries, const SlotTable& table,
                                        std::int64_t warp_slot) {
    const std::int64_t shortest = table.distance(warp_slot).shortest;
    SlotsByWarps worst;
    for (std::int64_t phase = 0; phase < table.period() * table.slot_length(); ++phase) {
        SlotsByWarps sum;
        for (std::int64_t other = 0; other < table.warp_slots().count(); ++other) {
            Blocked blocked;
            for (const ResourceOccupancy& occupancy : distinct_) {
                std::int64_t most_blocked = 0;
                if (occupancy.core && occupancy.cycles > 0)
                    for (const std::int64_t from : table.slots_of(other))
                        most_blocked =
                            std::max(most_blocked,
                                     boundaries.within(from * table.slot_length() + phase,
                                                       table.slot_length() + occupancy.cycles - 1));
                blocked.push_back(
                    std::min(most_blocked, models::divide_up(occupancy.cycles, shortest)));
            }
            sum.add(by_warps(blocked, in_one_block(warp_slot, other)));
        }
        worst = std::max(worst, std::move(sum));
    }
    return worst;
}

SlotsByWarps BlockedSlots::by_any_scheduler(models::Warps warp_slots, std::int64_t shortest,
                                            bool own_block) {
    Blocked blocked;
    for (const ResourceOccupancy& occupancy : distinct_)
        blocked.push_back(occupancy.core ? models::divide_up(occupancy.cycles, shortest) : 0);
    return by_warps(blocked, own_block, warp_slots.count());
}

SlotsByWarps BlockedSlots::of_warp_slot(const std::vector<EquivalentSchedulers>& schedulers,
                                        std::size_t own, std::int64_t warp_slot) {
    constexpr std::int64_t most_steps = std::int64_t{1} << 20U; // For all relative phases.
    const SlotTable& table = schedulers[own].table;
    const std::int64_t shortest = table.distance(warp_slot).shortest;
    const SlotBoundaries boundaries{table, warp_slot};
    SlotsByWarps blocked;
    for (std::int64_t other = 0; other < table.warp_slots().count(); ++other)
        blocked.add(by_warp_slot(boundaries, table, warp_slot, other));
    for (std::size_t i = 0; i < schedulers.size(); ++i) {
        const std::int64_t count = schedulers[i].count - (i == own ? 1 : 0);
        if (count == 0) continue;
        // Slot tables of different periods take all relative phases.
        const bool fixed_phase =
            i == own && shortest > 1 &&
            table.period() * table.period() * table.slot_length() <= most_steps;
        const SlotsByWarps one = fixed_phase
                                     ? by_scheduler(boundaries, table, warp_slot)
                                     : by_any_scheduler(schedulers[i].table.warp_slots(), shortest,
                                                        launch_.shape.has_one_block());
        blocked.add(one, count);
    }
    return blocked;
}

std::int64_t BlockedSlots::by_itself(const SlotTable& table, std::int64_t warp_slot) {
    if (table.warp_slots() == models::Warps{1})
        return by_any_scheduler(models::Warps{1}, 1, true).slots;
    bool dual_issue = false;
    for (std::size_t i = 0; i < kernel_.timings.size(); ++i)
        dual_issue =
            dual_issue || (kernel_.used[i] && kernel_.timings[i] && table.slot_length() == 1 &&
                           kernel_.timings[i].value().gap.lo == 0);
    const SlotBoundaries boundaries{table, warp_slot};
    Blocked blocked;
    for (const ResourceOccupancy& occupancy : distinct_)
        blocked.push_back(within_occupancy(occupancy, boundaries, table, warp_slot) +
                          (dual_issue && occupancy.cycles > 0 ? 1 : 0));
    return most(blocked, true);
}

SlotTable BlockedSlots::table_of_full_scheduler(std::int64_t first) const {
    const LaunchGeometry& shape = launch_.shape;
    return {launch_.policy,
            shape.on_one_scheduler(shape.most_resident_warps() - models::Warps{first}),
            shape.issue_slot.hi};
}

BlockedTime BlockedSlots::cycles_of_block(std::int64_t block) {
    const LaunchGeometry& shape = launch_.shape;
    const std::int64_t warps = shape.most_resident_warps().count();
    const std::int64_t per_block = shape.warps_per_block.count();
    std::vector<SlotTable> tables; // By scheduler.
    for (std::int64_t first = 0; first < shape.schedulers_in_use(); ++first)
        tables.push_back(table_of_full_scheduler(first));
    std::vector<Blocked> cycles(static_cast<std::size_t>(warps), Blocked(distinct_.size(), 0));
    for (std::int64_t i = 0; i < per_block; ++i) {
        const std::int64_t warp = block * per_block + i;
        const SlotTable& table = tables[static_cast<std::size_t>(warp % shape.schedulers)];
        const std::int64_t warp_slot = warp / shape.schedulers;
        const SlotDistance distance = table.distance(warp_slot);
        const SlotBoundaries boundaries{table, warp_slot};
        for (std::int64_t other = 0; other < warps; ++other) {
            if (other == warp) continue;
            const bool same_scheduler = (other - warp) % shape.schedulers == 0;
            for (std::size_t k = 0; k < distinct_.size(); ++k) {
                const ResourceOccupancy& occupancy = distinct_[k];
                std::int64_t most_blocked =
                    occupancy.core ? models::divide_up(occupancy.cycles, distance.shortest) : 0;
                if (same_scheduler)
                    most_blocked =
                        within_occupancy(occupancy, boundaries, table, other / shape.schedulers);
                std::int64_t& most_cycles = cycles[static_cast<std::size_t>(other)][k];
                most_cycles = std::max(most_cycles, times(most_blocked, distance.longest));
            }
        }
    }
    SlotsByWarps sum;
    for (const Blocked& of_warp : cycles)
        sum.add(by_warps(of_warp, false));
    return time_of(sum, 1);
}

BlockedSlots::Blocked BlockedSlots::cycles_in_stages(const SlotDistance& slots) const {
    const std::int64_t boundaries =
        boundaries_on_path(launch_.shape, cycles_of_hold(kernel_, launch_.shape), slots);
    Blocked cycles;
    for (const ResourceOccupancy& occupancy : distinct_)
        cycles.push_back(
            times(std::min(boundaries, occupancy.most_blocked.value_or(0)), slots.longest));
    return cycles;
}

BlockedTime BlockedSlots::cycles_in_stages_of_block(std::int64_t block) {
    const LaunchGeometry& shape = launch_.shape;
    const std::int64_t per_block = shape.warps_per_block.count();
    const std::int64_t first = block * per_block;
    SlotsByWarps sum;
    for (std::int64_t i = 0; i < shape.schedulers_in_use(); ++i) {
        const SlotTable table = table_of_full_scheduler(i);
        std::vector<SlotDistance> of_block;
        for (std::int64_t warp = first; warp < first + per_block; ++warp)
            if (warp % shape.schedulers == i)
                of_block.push_back(table.distance(warp / shape.schedulers));
        if (of_block.empty()) continue;
        sum.add(by_warps(cycles_in_stages(hull(of_block)), false, table.warp_slots().count()));
    }
    return time_of(sum, 1);
}

} // namespace warpbound::analyzer
