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

} // namespace warpbound::analyzer
