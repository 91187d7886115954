#pragma once
/// \file
/// Distances of the time slots of a warp slot under a time-division policy (rule C19 of
/// docs/reference/timing-contract.md).

#include "certification/verify/interference/launch_geometry.hpp"

#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// From one time slot of a warp slot to its next one. `Unit:` core cycles. 1: the warp may be
/// chosen at any time.
struct SlotDistance {
    std::int64_t shortest = 1; ///< P.
    std::int64_t longest = 1;  ///< P'.

    friend auto operator<=>(const SlotDistance&, const SlotDistance&) = default;
};

/// Those of the warp slots that the first `blocks` blocks of a multiprocessor take, in increasing
/// order, each once; none unless the policy is time-division.
std::vector<SlotDistance> distances_of_warp_slots(const models::WarpPolicy& policy,
                                                  const LaunchGeometry& launch,
                                                  std::int64_t blocks);
/// S23: of the other warp slots of a scheduler that these blocks take, the most that have one of
/// the `reach` time slots before a time slot of a warp slot with this distance.
std::int64_t preceding_warp_slots(const models::WarpPolicy& policy, const LaunchGeometry& launch,
                                  std::int64_t blocks, const SlotDistance& distance,
                                  std::int64_t reach);
/// From the shortest to the longest of all. Requires: some.
SlotDistance any_distance(const std::vector<SlotDistance>& distances);
/// What ids of certificates about such time slots end in: "-slot-distance-8",
/// "-slot-distance-6-8".
std::string certificate_suffix(const SlotDistance& distance);

} // namespace warpbound::certification::verify
