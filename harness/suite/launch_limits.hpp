#pragma once
/// \file
/// The largest launches that a device takes, found by trying.

#include "harness/device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness {

/// Along one axis of a launch, everything else being one warp that reads the clock twice.
struct LaunchLimit {
    std::string axis;         ///< "threads" (of a block), "blocks", "registers", "shared-memory"
    std::int64_t largest = 0; ///< That was taken; 0: not even the smallest was.
    std::string refusal;      ///< Of one more; empty: the largest that is tried was taken.
    std::int64_t tried = 0;   ///< Launches.
};

/// By binary search: what is taken is assumed to reach from the smallest value to a largest one. A
/// device that compiles also runs each launch, once, and the smallest number of registers that is
/// tried there is `least_semaphore_registers`. A launch that ran counts as taken, whatever its
/// clocks were. Refuses a device without a machine, and one that does not run one warp any more
/// when an axis is done: what it refused was not the launch. A device that replays knows no launch
/// that was not recorded: see what its refusals say.
Result<std::vector<LaunchLimit>> find_launch_limits(const Device& device);

} // namespace warpbound::harness
