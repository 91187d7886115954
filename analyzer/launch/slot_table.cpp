#include "analyzer/launch/slot_table.hpp"

#include <algorithm>
#include <numeric>

namespace warpbound::analyzer {

SlotTable::SlotTable(const models::WarpPolicy& policy, models::Warps warp_slots, std::int64_t slot)
    : slot_{slot}, slots_(static_cast<std::size_t>(warp_slots.count())) {
    const std::int64_t others = warp_slots.count() - 1;
    const std::int64_t fast = policy.fast % warp_slots.count();
    // Between two slots of the fast warp slot the others have every - 1, in cyclic order: warp
    // slots whose distance is a multiple of this number are equivalent.
    const std::int64_t classes = others == 0 ? 0 : std::gcd(others, policy.every - 1);
    const std::int64_t period = others == 0 ? 1 : policy.every * (others / classes);
    std::int64_t next = 0; // among the others
    for (std::int64_t k = 0; k < period; ++k) {
        std::int64_t owner = fast;
        if (k % policy.every != 0) {
            owner = next < fast ? next : next + 1;
            next = (next + 1) % others;
        }
        owners_.push_back(owner);
        slots_[static_cast<std::size_t>(owner)].push_back(k);
    }
    representatives_.push_back(fast);
    for (std::int64_t other = 0; other < classes; ++other)
        representatives_.push_back(other < fast ? other : other + 1);
}

SlotDistance SlotTable::distance(std::int64_t warp_slot) const {
    if (warp_slots() == models::Warps{1}) return {};
    const auto& slots = slots_of(warp_slot);
    std::int64_t shortest = period();
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const std::int64_t next = i + 1 < slots.size() ? slots[i + 1] : slots.front() + period();
        shortest = std::min(shortest, next - slots[i]);
        longest = std::max(longest, next - slots[i]);
    }
    return {(models::Cycles{shortest} * slot_).count(), (models::Cycles{longest} * slot_).count()};
}

SlotBoundaries::SlotBoundaries(const SlotTable& table, std::int64_t warp_slot)
    : slot_{table.slot_length()} {
    before_.push_back(0);
    for (const std::int64_t owner : table.owners())
        before_.push_back(before_.back() + (owner == warp_slot ? 1 : 0));
}

std::int64_t SlotBoundaries::before(std::int64_t slot) const {
    const auto period = static_cast<std::int64_t>(before_.size()) - 1;
    return slot / period * before_.back() + before_[static_cast<std::size_t>(slot % period)];
}

std::vector<EquivalentSchedulers> schedulers_of(const models::WarpPolicy& policy,
                                                const LaunchGeometry& shape) {
    const models::Warps occupancy_limit = shape.most_resident_warps();
    const models::Warps resident_warps =
        std::min(shape.blocks, shape.resident) * shape.warps_per_block;
    std::vector<EquivalentSchedulers> schedulers;
    for (std::int64_t first = 0; first < shape.schedulers_in_use(); ++first) {
        const auto on_scheduler = [&](models::Warps warps) {
            return models::Warps{(warps.count() - first + shape.schedulers - 1) / shape.schedulers};
        };
        const bool equals_previous =
            !schedulers.empty() &&
            schedulers.back().table.warp_slots() == on_scheduler(occupancy_limit) &&
            schedulers.back().warps == on_scheduler(resident_warps);
        if (equals_previous)
            ++schedulers.back().count;
        else
            schedulers.push_back(
                {1, SlotTable{policy, on_scheduler(occupancy_limit), shape.issue_slot.hi},
                 on_scheduler(resident_warps)});
    }
    return schedulers;
}

std::vector<SlotDistance> slot_distances(const models::WarpPolicy& policy,
                                         const LaunchGeometry& shape) {
    std::vector<SlotDistance> distances;
    for (const EquivalentSchedulers& equal : schedulers_of(policy, shape))
        if (equal.warps == equal.table.warp_slots())
            for (const std::int64_t warp_slot : equal.table.representatives())
                distances.push_back(equal.table.distance(warp_slot));
        else
            for (std::int64_t warp_slot = 0; warp_slot < equal.warps.count(); ++warp_slot)
                distances.push_back(equal.table.distance(warp_slot));
    std::sort(distances.begin(), distances.end());
    distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    return distances;
}

SlotDistance hull(const std::vector<SlotDistance>& distances) {
    SlotDistance widest = distances.front();
    for (const SlotDistance& slots : distances)
        widest = {std::min(widest.shortest, slots.shortest),
                  std::max(widest.longest, slots.longest)};
    return widest;
}

std::optional<SlotDistance> slots_of_any_warp(const models::WarpPolicy& policy,
                                              const LaunchGeometry& shape) {
    if (shape.has_one_warp() ||
        models::guarantee_of(policy) != models::PolicyGuarantee::TimeDivision)
        return std::nullopt;
    return hull(slot_distances(policy, shape));
}

} // namespace warpbound::analyzer
