#include "certification/verify/policies/blocked_paths.hpp"

#include "certification/verify/certificate_ids.hpp"
#include "certification/verify/interference/barrier_intervals.hpp"
#include "certification/verify/interference/executed_between.hpp"
#include "certification/verify/interference/register_reads.hpp"
#include "certification/verify/policies/slot_holds.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::certification::verify {

namespace {

/// What counts in one barrier interval (S17, lemma 3).
struct Interval {
    const std::vector<bool>& executed;
    std::int64_t shortest_release;

    /// An earlier use counts as well where it may last until the interval begins.
    [[nodiscard]] std::vector<bool> counted(const std::vector<Hold>& holds) const {
        std::vector<bool> counted(executed);
        for (std::size_t i = 0; i < holds.size(); ++i)
            if (holds[i].cycles > shortest_release) counted[i] = true;
        return counted;
    }
};

/// Blocked slots in warp slots of one wave.
class WarpSlots {
public:
    explicit WarpSlots(const TimedCode& code) : code_{code}, stores_{code} {}

    /// The most of warp slots with each distance. `interval`: null: in all the run.
    [[nodiscard]] std::map<SlotDistance, BlockedPath> most(const Interval* interval) const {
        const auto held = [&](std::vector<Hold> holds) {
            std::vector<bool> counted;
            if (interval != nullptr) counted = interval->counted(holds);
            return BoundariesHeld{code_, std::move(holds), std::move(counted)};
        };
        BoundariesHeld ports =
            held(interval != nullptr ? ports_of_units_in(*interval) : held_ports(code_));
        BoundariesHeld stages = held(held_stages(code_));
        BoundariesHeld buffer = held(held_buffer(code_));
        const bool may_store = interval == nullptr || stores_in(*interval);
        std::map<SlotDistance, BlockedPath> all;
        const auto& schedulers = ports.schedulers();
        for (std::size_t i = 0; i < schedulers.size(); ++i) {
            // A scheduler with as many warp slots as the one before it is as that one.
            if (i > 0 && schedulers[i].warp_slots == schedulers[i - 1].warp_slots) continue;
            for (std::int64_t slot = 0; slot < schedulers[i].warp_slots; ++slot) {
                const SlotDistance distance = schedulers[i].distance(slot);
                BlockedPath path;
                path.by_ports = ports.in_cycles(ports.of_slot(i, slot), distance.longest);
                path.by_stages = stages.in_cycles(stages.of_slot(i, slot), distance.longest);
                if (may_store) path.full_slots = full_slots(buffer, i, slot, distance);
                path.full_slot = distance.longest;
                keep_most(all[distance], std::move(path));
            }
        }
        return all;
    }

    [[nodiscard]] const StoresInSlots& stores() const { return stores_; }

    /// Each of three that takes longest. `full_slots` counts cycles then.
    [[nodiscard]] BlockedPath longest(const Interval* interval) const {
        BlockedPath longest;
        for (auto& [distance, path] : most(interval)) {
            path.full_slots = models::times(path.full_slots, path.full_slot);
            path.full_slot = 1;
            keep_most(longest, std::move(path));
        }
        return longest;
    }

private:
    static void keep_most(BlockedPath& most, BlockedPath path) {
        most.by_ports = std::max(most.by_ports, path.by_ports);
        most.by_stages = std::max(most.by_stages, path.by_stages);
        most.full_slots = std::max(most.full_slots, path.full_slots);
        most.full_slot = path.full_slot;
    }

    /// Ports of units that the interval does not use block none of its slots.
    [[nodiscard]] std::vector<Hold> ports_of_units_in(const Interval& interval) const {
        std::vector<bool> used(code_.kernel.architecture.units.size(), false);
        for (std::size_t i = 0; i < interval.executed.size(); ++i)
            if (interval.executed[i]) used[code_.timings[i].value().unit] = true;
        std::vector<Hold> ports = held_ports(code_);
        for (std::size_t i = 0; i < ports.size(); ++i)
            if (ports[i].cycles > 0 && !used[code_.timings[i].value().unit]) ports[i] = {};
        return ports;
    }

    [[nodiscard]] bool stores_in(const Interval& interval) const {
        for (std::size_t i = 0; i < interval.executed.size(); ++i)
            if (interval.executed[i] && code_.timings[i].value().enters_write_buffer) return true;
        return false;
    }

    [[nodiscard]] std::int64_t full_slots(BoundariesHeld& buffer, std::size_t scheduler,
                                          std::int64_t slot, const SlotDistance& distance) const {
        const std::int64_t by_time = stores_.blocked_slots_at(distance);
        if (by_time == 0 || !stores_.has_known_entries()) return by_time;
        return std::min(
            by_time, stores_.blocked_of(models::plus(buffer.of_slot(scheduler, slot).sum,
                                                     buffer.of_slot_by_own_uses(scheduler, slot))));
    }

    const TimedCode& code_;
    StoresInSlots stores_;
};

/// At barriers: interval by interval, or once per barrier and once more.
BlockedPath between_barriers(const TimedCode& code, const WarpSlots& slots) {
    BlockedPath all;
    const auto add = [&](const BlockedPath& path, std::int64_t count) {
        all.by_ports.add(path.by_ports, count);
        all.by_stages.add(path.by_stages, count);
        all.full_slots = models::plus(all.full_slots, models::times(path.full_slots, count));
    };
    if (const auto between = executed_between_barriers(code))
        for (const std::vector<bool>& executed : between->instructions) {
            const Interval interval{executed, between->shortest_release};
            add(slots.longest(&interval), 1);
        }
    else
        add(slots.longest(nullptr), most_barriers_if_none_ends_early(code) + 1);
    return all;
}

/// S17, lemma 3: of each two sums the smaller one.
BlockedPath path_at_barriers(const TimedCode& code, const std::vector<SlotDistance>& distances) {
    const WarpSlots slots{code};
    BlockedPath path = between_barriers(code, slots);
    BoundariesHeld ports{code, held_ports(code)};
    BoundariesHeld stages{code, held_stages(code)};
    BlockedTime of_ports;
    BlockedTime of_stages;
    for (std::int64_t block = 0; block < code.geometry.block_slots; ++block) {
        of_ports = std::max(of_ports, ports.of_block_by_ports(block));
        of_stages = std::max(of_stages, stages.of_block_by_stages(block));
    }
    if (of_ports.cycles <= path.by_ports.cycles) path.by_ports = std::move(of_ports);
    if (of_stages.cycles <= path.by_stages.cycles) path.by_stages = std::move(of_stages);
    path.full_slots = std::min(path.full_slots, slots.stores().cycles_on_path(distances));
    return path;
}

/// The sum of so many warps.
BlockedTime time_of_warps(const TimedCode& code, const DemandTable& table, std::int64_t warps) {
    const std::int64_t of_warp = largest_path_demand(
        code, [&](const models::InstructionTiming&, std::size_t i) { return table[i]; });
    if (of_warp == 0) return {};
    return {models::times(of_warp, warps), {{table, warps}}};
}

/// S17, lemma 4: by all warps, or by those along both critical paths and what others left.
std::int64_t take_smaller(const TimedCode& code, const DemandTable& table, std::int64_t left,
                          BlockedTime& time) {
    const LaunchGeometry& launch = code.geometry;
    time = time_of_warps(code, table, launch.warps);
    if (launch.multiprocessors == 1) return 0;
    const std::int64_t blocks =
        std::min(launch.blocks, launch.blocks_before_last() + launch.block_slots);
    BlockedTime of_path = time_of_warps(code, table, models::times(blocks, launch.warps_per_block));
    if (models::plus(of_path.cycles, left) >= time.cycles) return 0;
    time = std::move(of_path);
    return left;
}

BlockedPath path_of_waves(const TimedCode& code, const std::vector<SlotDistance>& distances) {
    const LaunchGeometry& launch = code.geometry;
    const SlotDistance any = any_distance(distances);
    // o / P boundaries (rounded up), each P'; none where the scheduler's port is free one slot
    // later.
    DemandTable ports;
    std::int64_t longest_held = 0;
    for (const Hold& hold : held_ports(code)) {
        std::int64_t most = 0;
        if (hold.of_multiprocessor || hold.cycles > launch.issue_slot.hi) {
            longest_held = std::max(longest_held, hold.cycles);
            for (const SlotDistance& distance : distances)
                most = std::max(
                    most, models::times((hold.cycles + distance.shortest - 1) / distance.shortest,
                                        distance.longest));
        }
        ports.push_back(most);
    }
    BlockedPath path;
    const std::int64_t held = longest_held > 0 ? models::plus(longest_held, any.longest - 1) : 0;
    path.ports_left = take_smaller(code, ports, held, path.by_ports);
    if (longest_lag(code) > 0) {
        path.stages_left = take_smaller(code, slots_of_reads(code, any),
                                        slots_of_reads_left(code, any), path.by_stages);
        // Two blocked slots around the start of the last block need no issue in between.
        path.stages_left = models::plus(path.stages_left, any.longest);
    }
    path.full_slots = StoresInSlots{code}.cycles_on_path(distances);
    return path;
}

/// Numbered in the order of what instructions add; in several waves there is one.
std::map<DemandTable, std::string> named(const TimedCode& code,
                                         const std::map<SlotDistance, BlockedPath>& paths,
                                         BlockedTime BlockedPath::*time, const std::string& id) {
    std::map<DemandTable, std::string> ids;
    for (const auto& [distance, path] : paths)
        for (const auto& [table, warps] : (path.*time).warps)
            ids[table];
    std::size_t number = 0;
    for (auto& [table, name] : ids)
        name = code.geometry.waves > 1 ? id + certificate_id::in_any_warp_slot
                                       : id + "-" + std::to_string(++number);
    return ids;
}

} // namespace

bool path_changes_warp_slot(const TimedCode& code) {
    return code.geometry.waves > 1 || most_barriers_if_none_ends_early(code) > 0;
}

BlockedPaths blocked_paths_of(const TimedCode& code, const std::vector<SlotDistance>& distances) {
    BlockedPaths blocked;
    if (code.geometry.warps == 1 || distances.empty()) return blocked;
    if (code.geometry.waves > 1)
        blocked.paths.emplace(any_distance(distances), path_of_waves(code, distances));
    else if (path_changes_warp_slot(code))
        blocked.paths.emplace(any_distance(distances), path_at_barriers(code, distances));
    else
        blocked.paths = WarpSlots{code}.most(nullptr);
    blocked.ports = named(code, blocked.paths, &BlockedPath::by_ports, certificate_id::ports);
    blocked.stages = named(code, blocked.paths, &BlockedPath::by_stages, certificate_id::stages);
    return blocked;
}

DemandTables tables_of(const BlockedPaths& blocked) {
    DemandTables tables;
    for (const auto& ids : {blocked.ports, blocked.stages})
        for (const auto& [table, id] : ids)
            tables.emplace(id, table);
    return tables;
}

std::vector<Term> blocked_terms(const BlockedPaths& blocked, const SlotDistance& distance,
                                bool with_stores) {
    const BlockedPath& path = blocked.paths.at(distance);
    std::vector<Term> terms;
    for (const auto& [table, warps] : path.by_ports.warps)
        terms.push_back({warps, 0, blocked.ports.at(table)});
    terms.push_back({1, path.ports_left, ""});
    for (const auto& [table, warps] : path.by_stages.warps)
        terms.push_back({warps, 0, blocked.stages.at(table)});
    terms.push_back({1, path.stages_left, ""});
    if (with_stores) terms.push_back({path.full_slots, path.full_slot, ""});
    return terms;
}

} // namespace warpbound::certification::verify
