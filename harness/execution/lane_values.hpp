#pragma once
/// \file
/// One value per lane of a warp.

#include "harness/recorded_launch.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace warpbound::harness::execution {

/// Bit i: lane i.
using Lanes = RecordedLanes;
inline constexpr std::size_t lane_count = static_cast<std::size_t>(recorded_lane_count);
inline constexpr Lanes all_lanes = ~Lanes{0};

template <typename Value> using PerLane = std::array<Value, lane_count>;
/// A 32-bit register of a warp.
using Words = PerLane<std::uint32_t>;
/// A pair of registers, or an address.
using Wides = PerLane<std::uint64_t>;

inline bool has_lane(Lanes lanes, std::size_t lane) {
    return ((lanes >> lane) & 1U) != 0;
}
/// Requires: there is one.
inline std::size_t first_lane(Lanes lanes) {
    return static_cast<std::size_t>(std::countr_zero(lanes));
}

/// Calls `visit(lane)` for each of the lanes, lowest first.
template <typename Visit> void for_each_lane(Lanes lanes, Visit visit) {
    for (; lanes != 0; lanes &= lanes - 1)
        visit(first_lane(lanes));
}

/// The lanes for which `holds(lane)`, of all 32.
template <typename Holds> Lanes lanes_where(Holds holds) {
    Lanes lanes = 0;
    for (std::size_t lane = 0; lane < lane_count; ++lane)
        lanes |= Lanes{holds(lane)} << lane;
    return lanes;
}

} // namespace warpbound::harness::execution
