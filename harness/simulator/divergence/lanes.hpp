#pragma once
/// \file
/// Sets of lanes of a warp.

#include <bit>
#include <cstdint>

namespace warpbound::harness::simulator {

/// Bit i: lane i. Lanes of a wider warp beyond lane 63 are not represented.
using LaneMask = std::uint64_t;
inline constexpr std::int64_t lane_limit = 64;

/// Lanes 0 .. count - 1.
inline LaneMask first_lanes(std::int64_t count) {
    return count >= lane_limit ? ~LaneMask{0} : (LaneMask{1} << static_cast<unsigned>(count)) - 1;
}
inline std::int64_t count_of(LaneMask lanes) {
    return std::popcount(lanes);
}

} // namespace warpbound::harness::simulator
