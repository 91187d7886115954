#include "certification/verify/policies/slot_boundaries.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace warpbound::certification::verify {

namespace {

std::int64_t rounded_up(std::int64_t cycles, std::int64_t distance) {
    return cycles / distance + (cycles % distance == 0 ? 0 : 1);
}

/// S50: boundaries within the L cycles of a token are at least this far apart on a path that may
/// go from warp slot to warp slot.
std::int64_t distance_in_block(const SlotDistance& distance, std::int64_t duration) {
    return std::max<std::int64_t>(1, distance.shortest - duration + 1);
}

} // namespace

void BlockedTime::add(const BlockedTime& other, std::int64_t count) {
    cycles = models::plus(cycles, models::times(other.cycles, count));
    for (const auto& [table, number] : other.warps)
        warps[table] = models::plus(warps[table], models::times(number, count));
}

BoundariesHeld::OwnSlots::OwnSlots(const SchedulerSlots& slots, std::int64_t warp_slot)
    : period_{slots.repeats_after()}, duration_{slots.duration} {
    for (std::int64_t time_slot = 0; time_slot < period_; ++time_slot)
        if (slots.warp_slots == 1 || slots.owner(time_slot) == warp_slot) own_.push_back(time_slot);
}

std::int64_t BoundariesHeld::OwnSlots::among(std::int64_t count) const {
    const auto whole = static_cast<std::int64_t>(own_.size());
    const auto rest = std::lower_bound(own_.begin(), own_.end(), count % period_);
    return models::times(count / period_, whole) + (rest - own_.begin());
}

BoundariesHeld::BoundariesHeld(const TimedCode& code, std::vector<Hold> holds,
                               std::vector<bool> between)
    : code_{code}, holds_{std::move(holds)}, between_{std::move(between)},
      schedulers_{
          slots_of_schedulers(code.kernel.policy, code.geometry, code.geometry.block_slots)} {
    const std::set<Hold> different(holds_.begin(), holds_.end());
    different_.assign(different.begin(), different.end());
    for (const SchedulerSlots& slots : schedulers_) {
        own_.emplace_back();
        for (std::int64_t i = 0; i < slots.warp_slots; ++i)
            own_.back().emplace_back(slots, i);
    }
}

template <typename Count> BoundariesHeld::Uses BoundariesHeld::each_hold(Count count) const {
    Uses uses;
    for (const Hold& hold : different_)
        uses.push_back(hold.cycles == 0 ? 0 : count(hold));
    return uses;
}

/// S17, lemma 2: time slots of `warp_slot` among the (o - 1) / s after one of `other`. S50: where
/// s = 1, the one right after it is left out. A warp that owns all time slots loses cycles.
std::int64_t BoundariesHeld::after_slots_of(const Hold& hold, std::size_t scheduler,
                                            std::int64_t warp_slot, std::int64_t other) const {
    const SchedulerSlots& slots = schedulers_[scheduler];
    if (hold.tokens && slots.warp_slots == 1) return std::min(hold.cycles - 2, *hold.tokens);
    const OwnSlots& blocked = own(scheduler, warp_slot);
    const std::int64_t reach = (hold.cycles - 1) / slots.duration;
    const std::int64_t skipped = hold.tokens && slots.duration == 1 ? 1 : 0;
    std::int64_t most = 0;
    for (const std::int64_t used : own(scheduler, other).numbers())
        most = std::max(most, blocked.among(used + 1 + reach) - blocked.among(used + 1 + skipped));
    return hold.tokens ? std::min(most, *hold.tokens) : most;
}

/// A warp blocks itself in the stages only; the write buffer counts apart.
BoundariesHeld::Uses BoundariesHeld::on_same_scheduler(std::size_t scheduler,
                                                       std::int64_t warp_slot,
                                                       std::int64_t other) const {
    return each_hold([&](const Hold& hold) -> std::int64_t {
        if (other == warp_slot && !hold.tokens) return 0;
        return after_slots_of(hold, scheduler, warp_slot, other);
    });
}

/// o / P, rounded up.
BoundariesHeld::Uses BoundariesHeld::from_any_phase(std::int64_t shortest_distance) const {
    return each_hold([&](const Hold& hold) {
        return hold.of_multiprocessor ? rounded_up(hold.cycles, shortest_distance) : 0;
    });
}

/// Boundaries in b .. b + s + o - 2, b the beginning of a time slot of `other`.
BoundariesHeld::Uses BoundariesHeld::at_phase(std::size_t scheduler, std::int64_t warp_slot,
                                              std::int64_t other, std::int64_t phase) const {
    const SchedulerSlots& slots = schedulers_[scheduler];
    const OwnSlots& blocked = own(scheduler, warp_slot);
    const std::int64_t distance = slots.distance(warp_slot).shortest;
    return each_hold([&](const Hold& hold) {
        std::int64_t most = 0;
        if (!hold.of_multiprocessor) return most;
        for (const std::int64_t used : own(scheduler, other).numbers()) {
            const std::int64_t begin = models::times(used, slots.duration) + phase;
            const std::int64_t end = begin + slots.duration + hold.cycles - 1;
            most = std::max(most, blocked.boundaries(end) - blocked.boundaries(begin));
        }
        return std::min(most, rounded_up(hold.cycles, distance));
    });
}

/// S17, lemma 3: one block is on the multiprocessor, or every scheduler has as many warps of each.
bool BoundariesHeld::belong_together(std::int64_t warp_slot, std::int64_t other) const {
    const LaunchGeometry& launch = code_.geometry;
    if (launch.block_slots == 1) return true;
    const std::int64_t on_each = launch.warps_per_block / launch.schedulers;
    return launch.warps_per_block % launch.schedulers == 0 &&
           warp_slot / on_each == other / on_each;
}

std::int64_t BoundariesHeld::largest_sum(const BlockedByUses& uses) {
    const auto [found, is_new] = sums_.emplace(uses, 0);
    if (is_new) {
        const DemandTable table = table_of(uses, 1);
        found->second = largest_path_demand(
            code_, [&](const models::InstructionTiming&, std::size_t i) { return table[i]; });
    }
    return found->second;
}

DemandTable BoundariesHeld::table_of(const BlockedByUses& uses, std::int64_t slot) const {
    DemandTable table;
    for (std::size_t i = 0; i < holds_.size(); ++i) {
        const auto at = std::lower_bound(different_.begin(), different_.end(), holds_[i]);
        const std::int64_t boundaries =
            uses.boundaries[static_cast<std::size_t>(at - different_.begin())];
        const bool counts = !uses.between_barriers || between_[i];
        table.push_back(counts ? models::times(boundaries, slot) : 0);
    }
    return table;
}

void BoundariesHeld::add(BlockedByWarps& all, Uses uses, bool of_own_block, std::int64_t warps) {
    if (std::all_of(uses.begin(), uses.end(), [](std::int64_t use) { return use == 0; })) return;
    BlockedByUses blocked{of_own_block && !between_.empty(), std::move(uses)};
    const std::int64_t sum = models::times(largest_sum(blocked), warps);
    if (sum == 0) return;
    all.sum = models::plus(all.sum, sum);
    all.warps[std::move(blocked)] += warps;
}

BlockedTime BoundariesHeld::in_cycles(const BlockedByWarps& blocked, std::int64_t slot) const {
    BlockedTime time{models::times(blocked.sum, slot), {}};
    for (const auto& [uses, warps] : blocked.warps)
        time.warps[table_of(uses, slot)] += warps;
    return time;
}

/// Of another scheduler with as many warp slots.
BlockedByWarps BoundariesHeld::in_worst_phase(std::size_t scheduler, std::int64_t warp_slot) {
    const SchedulerSlots& slots = schedulers_[scheduler];
    const std::int64_t phases = models::times(slots.repeats_after(), slots.duration);
    BlockedByWarps worst;
    for (std::int64_t phase = 0; phase < phases; ++phase) {
        BlockedByWarps all;
        for (std::int64_t other = 0; other < slots.warp_slots; ++other)
            add(all, at_phase(scheduler, warp_slot, other, phase),
                belong_together(warp_slot, other), 1);
        worst = std::max(worst, std::move(all));
    }
    return worst;
}

BlockedByWarps BoundariesHeld::of_slot(std::size_t scheduler, std::int64_t warp_slot) {
    const SchedulerSlots& slots = schedulers_[scheduler];
    BlockedByWarps all;
    for (std::int64_t other = 0; other < slots.warp_slots; ++other)
        add(all, on_same_scheduler(scheduler, warp_slot, other), belong_together(warp_slot, other),
            1);
    // Phases are told apart where there are not too many of them (S17).
    constexpr std::int64_t most_steps = std::int64_t{1} << 20U;
    const std::int64_t period = slots.repeats_after();
    const std::int64_t shortest = slots.distance(warp_slot).shortest;
    const bool by_phase =
        shortest > 1 && models::times(models::times(period, period), slots.duration) <= most_steps;
    std::int64_t with_known_phase = 0;
    for (std::size_t i = 0; i < schedulers_.size(); ++i) {
        if (i == scheduler) continue;
        if (by_phase && schedulers_[i].warp_slots == slots.warp_slots)
            ++with_known_phase;
        else
            add(all, from_any_phase(shortest), code_.geometry.block_slots == 1,
                schedulers_[i].warp_slots);
    }
    if (with_known_phase == 0) return all;
    const BlockedByWarps worst = in_worst_phase(scheduler, warp_slot);
    all.sum = models::plus(all.sum, models::times(worst.sum, with_known_phase));
    for (const auto& [uses, warps] : worst.warps)
        all.warps[uses] += models::times(warps, with_known_phase);
    return all;
}

/// The second one of two stores that issue at one boundary (gap 0, s = 1) is blocked there.
std::int64_t BoundariesHeld::of_slot_by_own_uses(std::size_t scheduler, std::int64_t warp_slot) {
    const SchedulerSlots& slots = schedulers_[scheduler];
    if (slots.warp_slots == 1) {
        BlockedByWarps all;
        add(all, from_any_phase(1), true, 1);
        return all.sum;
    }
    std::int64_t at_same_boundary = 0;
    for (std::size_t i = 0; i < code_.timings.size(); ++i)
        if (slots.duration == 1 && code_.reachable[i] && code_.timings[i].value().gap.lo == 0)
            at_same_boundary = 1;
    BlockedByWarps all;
    add(all, each_hold([&](const Hold& hold) {
            return after_slots_of(hold, scheduler, warp_slot, warp_slot) + at_same_boundary;
        }),
        true, 1);
    return all.sum;
}

BlockedTime BoundariesHeld::of_block_by_ports(std::int64_t block) {
    const LaunchGeometry& launch = code_.geometry;
    const std::int64_t first = models::times(block, launch.warps_per_block);
    const std::int64_t count = launch.schedulers;
    BlockedByWarps all;
    for (std::int64_t other = 0; other < launch.resident_warps(); ++other) {
        Uses most(different_.size(), 0);
        for (std::int64_t warp = first; warp < first + launch.warps_per_block; ++warp) {
            if (warp == other) continue;
            const auto scheduler = static_cast<std::size_t>(warp % count);
            const SlotDistance distance = schedulers_[scheduler].distance(warp / count);
            const Uses uses = other % count == warp % count
                                  ? on_same_scheduler(scheduler, warp / count, other / count)
                                  : from_any_phase(distance.shortest);
            for (std::size_t k = 0; k < most.size(); ++k)
                most[k] = std::max(most[k], models::times(uses[k], distance.longest));
        }
        add(all, std::move(most), false, 1);
    }
    return in_cycles(all, 1);
}

BlockedTime BoundariesHeld::of_block_by_stages(std::int64_t block) {
    const LaunchGeometry& launch = code_.geometry;
    const std::int64_t first = models::times(block, launch.warps_per_block);
    BlockedByWarps all;
    for (std::size_t i = 0; i < schedulers_.size(); ++i) {
        std::vector<SlotDistance> of_block;
        for (std::int64_t warp = first; warp < first + launch.warps_per_block; ++warp)
            if (static_cast<std::size_t>(warp % launch.schedulers) == i)
                of_block.push_back(schedulers_[i].distance(warp / launch.schedulers));
        if (of_block.empty()) continue;
        const SlotDistance distance = any_distance(of_block);
        const std::int64_t apart = distance_in_block(distance, schedulers_[i].duration);
        add(all, each_hold([&](const Hold& hold) {
                const std::int64_t lag = hold.cycles - 2;
                return models::times(std::min(1 + (lag - 1) / apart, hold.tokens.value_or(0)),
                                     distance.longest);
            }),
            false, schedulers_[i].warp_slots);
    }
    return in_cycles(all, 1);
}

} // namespace warpbound::certification::verify
