#include "certification/verify/slots.hpp"

#include <algorithm>
#include <set>

namespace warpbound::certification::verify {

std::vector<SlotRange> slot_ranges(const models::WarpPolicy& policy, const LaunchShape& shape,
                                   std::int64_t blocks) {
    if (models::guarantee_of(policy) != models::PolicyGuarantee::Slotted) return {};
    const std::int64_t room = models::times(shape.resident, shape.warps_per_block);
    const std::int64_t warps = models::times(blocks, shape.warps_per_block);
    const std::int64_t slot = shape.issue_slot.hi;
    std::set<SlotRange> ranges;
    for (std::int64_t first = 0; first < std::min(warps, shape.schedulers); ++first) {
        const std::int64_t places = (room - first - 1) / shape.schedulers + 1;
        const std::int64_t taken = (warps - first - 1) / shape.schedulers + 1;
        if (places == 1) ranges.insert({1, 1});
        if (places < 2) continue;
        const bool has_fast = policy.fast % places < taken;
        if (has_fast)
            ranges.insert({models::times(policy.every, slot), models::times(policy.every, slot)});
        if (taken == (has_fast ? 1 : 0)) continue;
        // Slots that are not the fast place's: the j-th of them is slot j + 1 + j / (every - 1),
        // and every (places - 1)-th belongs to the same place. Between two, the quotient grows by
        // that of the distance, rounded down or up.
        const std::int64_t others = places - 1;
        const std::int64_t fast = others / (policy.every - 1);
        const std::int64_t rest = others % (policy.every - 1) == 0 ? 0 : 1;
        ranges.insert(
            {models::times(others + fast, slot), models::times(others + fast + rest, slot)});
    }
    return {ranges.begin(), ranges.end()};
}

SlotRange all_of(const std::vector<SlotRange>& ranges) {
    SlotRange all = ranges.front();
    for (const SlotRange& range : ranges) {
        all.shortest = std::min(all.shortest, range.shortest);
        all.longest = std::max(all.longest, range.longest);
    }
    return all;
}

std::string kind_of(const SlotRange& range) {
    const std::string kind = "-every-" + std::to_string(range.shortest);
    return range.shortest == range.longest ? kind : kind + "-" + std::to_string(range.longest);
}

} // namespace warpbound::certification::verify
