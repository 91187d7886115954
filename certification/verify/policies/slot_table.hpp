#pragma once
/// \file
/// How far apart the slots of a warp are under a slotted policy (rule C19 of
/// docs/reference/timing-contract.md).

#include "certification/verify/interference/launch_geometry.hpp"

#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// `Unit:` core cycles. 1: the warp may be chosen at any time.
struct SlotRange {
    std::int64_t shortest = 1;
    std::int64_t longest = 1;

    friend auto operator<=>(const SlotRange&, const SlotRange&) = default;
};

/// For every kind of place that the first `blocks` blocks of a multiprocessor take, in order; none
/// unless the policy is slotted.
std::vector<SlotRange> slot_ranges(const models::WarpPolicy& policy, const LaunchGeometry& shape,
                                   std::int64_t blocks);
/// Of the other places of a scheduler that these blocks take, the most that have one of the `reach`
/// slots before a slot of a place whose slots are so far apart.
std::int64_t places_before(const models::WarpPolicy& policy, const LaunchGeometry& shape,
                           std::int64_t blocks, const SlotRange& range, std::int64_t reach);
/// From the shortest to the longest. Requires: some.
SlotRange all_of(const std::vector<SlotRange>& ranges);
/// What names of lemmas about such slots end in: "-slot-distance-8", "-slot-distance-6-8".
std::string kind_of(const SlotRange& range);
/// The same where a warp may be in any place.
inline constexpr const char* in_any_warp_slot = "-in-any-warp-slot";

} // namespace warpbound::certification::verify
