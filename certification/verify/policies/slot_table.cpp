#include "certification/verify/policies/slot_table.hpp"

#include <algorithm>
#include <set>

namespace warpbound::certification::verify {

namespace {

/// The places of one scheduler.
struct Places {
    std::int64_t count = 0;
    std::int64_t taken = 0;
    std::int64_t fast = 0; ///< Which of them has every `every`-th slot.
    std::int64_t every = 2;
    std::int64_t slot = 1; ///< `Unit:` core cycles.

    /// Slots that are not the fast place's: the j-th of them is slot j + 1 + j / (every - 1), and
    /// every (count - 1)-th belongs to the same place. Between two, the quotient grows by that of
    /// the distance, rounded down or up.
    [[nodiscard]] SlotRange range_of(std::int64_t place) const {
        if (count == 1) return {1, 1};
        if (place == fast) return {models::times(every, slot), models::times(every, slot)};
        const std::int64_t others = count - 1;
        const std::int64_t between = others / (every - 1);
        const std::int64_t rest = others % (every - 1) == 0 ? 0 : 1;
        return {models::times(others + between, slot),
                models::times(others + between + rest, slot)};
    }

    [[nodiscard]] std::int64_t owner(std::int64_t of_slot) const {
        if (of_slot % every == 0) return fast;
        const std::int64_t among_others = (of_slot - of_slot / every - 1) % (count - 1);
        return among_others < fast ? among_others : among_others + 1;
    }
};

/// Of each scheduler that has a warp when so many blocks are there.
std::vector<Places> places_of(const models::WarpPolicy& policy, const LaunchGeometry& shape,
                              std::int64_t blocks) {
    const std::int64_t room = models::times(shape.resident, shape.warps_per_block);
    const std::int64_t warps = models::times(blocks, shape.warps_per_block);
    std::vector<Places> schedulers;
    for (std::int64_t first = 0; first < std::min(warps, shape.schedulers); ++first) {
        Places places;
        places.count = (room - first - 1) / shape.schedulers + 1;
        places.taken = (warps - first - 1) / shape.schedulers + 1;
        places.fast = policy.fast % places.count;
        places.every = policy.every;
        places.slot = shape.issue_slot.hi;
        schedulers.push_back(places);
    }
    return schedulers;
}

} // namespace

std::vector<SlotRange> slot_ranges(const models::WarpPolicy& policy, const LaunchGeometry& shape,
                                   std::int64_t blocks) {
    if (models::guarantee_of(policy) != models::PolicyGuarantee::Slotted) return {};
    std::set<SlotRange> ranges;
    for (const Places& places : places_of(policy, shape, blocks))
        for (std::int64_t place = 0; place < places.taken; ++place)
            ranges.insert(places.range_of(place));
    return {ranges.begin(), ranges.end()};
}

std::int64_t places_before(const models::WarpPolicy& policy, const LaunchGeometry& shape,
                           std::int64_t blocks, const SlotRange& range, std::int64_t reach) {
    std::size_t most = 0;
    for (const Places& places : places_of(policy, shape, blocks)) {
        if (places.count < 2) continue;
        const std::int64_t period = models::times(places.every, places.count - 1);
        std::vector<std::set<std::int64_t>> before(static_cast<std::size_t>(places.taken));
        for (std::int64_t at = period; at < 2 * period; ++at) {
            const std::int64_t place = places.owner(at);
            if (place >= places.taken || places.range_of(place) != range) continue;
            for (std::int64_t back = 1; back <= std::min(reach, period); ++back) {
                const std::int64_t other = places.owner(at - back);
                if (other != place && other < places.taken)
                    before[static_cast<std::size_t>(place)].insert(other);
            }
        }
        for (const auto& others : before)
            most = std::max(most, others.size());
    }
    return static_cast<std::int64_t>(most);
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
    const std::string kind = "-slot-distance-" + std::to_string(range.shortest);
    return range.shortest == range.longest ? kind : kind + "-" + std::to_string(range.longest);
}

} // namespace warpbound::certification::verify
