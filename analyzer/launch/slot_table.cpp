#include "analyzer/launch/slot_table.hpp"

#include <algorithm>
#include <numeric>

namespace warpbound::analyzer {

SlotTable::SlotTable(const models::WarpPolicy& policy, std::int64_t places, std::int64_t slot)
    : slot_{slot}, slots_(static_cast<std::size_t>(places)) {
    const std::int64_t others = places - 1;
    const std::int64_t fast = policy.fast % places;
    // Between two slots of the fast place the others have every - 1, in turn: places that lie a
    // multiple of it apart are alike.
    const std::int64_t alike = others == 0 ? 0 : std::gcd(others, policy.every - 1);
    const std::int64_t round = others == 0 ? 1 : policy.every * (others / alike);
    std::int64_t next = 0; // Among the others.
    for (std::int64_t k = 0; k < round; ++k) {
        std::int64_t owner = fast;
        if (k % policy.every != 0) {
            owner = next < fast ? next : next + 1;
            next = (next + 1) % others;
        }
        owners_.push_back(owner);
        slots_[static_cast<std::size_t>(owner)].push_back(k);
    }
    kinds_.push_back(fast);
    for (std::int64_t other = 0; other < alike; ++other)
        kinds_.push_back(other < fast ? other : other + 1);
}

SlotDistance SlotTable::distance(std::int64_t place) const {
    if (places() == 1) return {};
    const auto& slots = slots_of(place);
    std::int64_t shortest = round();
    std::int64_t longest = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const std::int64_t next = i + 1 < slots.size() ? slots[i + 1] : slots.front() + round();
        shortest = std::min(shortest, next - slots[i]);
        longest = std::max(longest, next - slots[i]);
    }
    return {(models::Cycles{shortest} * slot_).count(), (models::Cycles{longest} * slot_).count()};
}

SlotBoundaries::SlotBoundaries(const SlotTable& order, std::int64_t place) : slot_{order.slot()} {
    before_.push_back(0);
    for (const std::int64_t owner : order.owners())
        before_.push_back(before_.back() + (owner == place ? 1 : 0));
}

std::int64_t SlotBoundaries::before(std::int64_t slot) const {
    const auto round = static_cast<std::int64_t>(before_.size()) - 1;
    return slot / round * before_.back() + before_[static_cast<std::size_t>(slot % round)];
}

std::vector<EquivalentSchedulers> schedulers_of(const models::WarpPolicy& policy,
                                                const LaunchGeometry& shape) {
    const std::int64_t room = shape.resident * shape.warps_per_block;
    const std::int64_t taken = std::min(shape.blocks, shape.resident) * shape.warps_per_block;
    std::vector<EquivalentSchedulers> schedulers;
    for (std::int64_t first = 0; first < std::min(room, shape.schedulers); ++first) {
        const auto places = [&](std::int64_t warps) {
            return (warps - first + shape.schedulers - 1) / shape.schedulers;
        };
        const bool as_before = !schedulers.empty() &&
                               schedulers.back().order.places() == places(room) &&
                               schedulers.back().warps == places(taken);
        if (as_before)
            ++schedulers.back().count;
        else
            schedulers.push_back(
                {1, SlotTable{policy, places(room), shape.issue_slot.hi}, places(taken)});
    }
    return schedulers;
}

std::vector<SlotDistance> slot_distances(const models::WarpPolicy& policy,
                                         const LaunchGeometry& shape) {
    std::vector<SlotDistance> distances;
    for (const EquivalentSchedulers& alike : schedulers_of(policy, shape))
        if (alike.warps == alike.order.places())
            for (const std::int64_t place : alike.order.kinds())
                distances.push_back(alike.order.distance(place));
        else
            for (std::int64_t place = 0; place < alike.warps; ++place)
                distances.push_back(alike.order.distance(place));
    std::sort(distances.begin(), distances.end());
    distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
    return distances;
}

SlotDistance hull(const std::vector<SlotDistance>& distances) {
    SlotDistance any = distances.front();
    for (const SlotDistance& slots : distances)
        any = {std::min(any.shortest, slots.shortest), std::max(any.longest, slots.longest)};
    return any;
}

std::optional<SlotDistance> slots_of_any_warp(const models::WarpPolicy& policy,
                                              const LaunchGeometry& shape) {
    if (shape.warps() == 1 || models::guarantee_of(policy) != models::PolicyGuarantee::Slotted)
        return std::nullopt;
    return hull(slot_distances(policy, shape));
}

} // namespace warpbound::analyzer
