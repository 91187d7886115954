#pragma once
/// \file
/// The largest launches that a device accepts, found by trial.

#include "harness/device.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness {

/// The limit along one axis of a launch; otherwise the launch is one warp that reads the clock
/// twice.
struct LaunchLimit {
    std::string axis;         ///< "threads" (of a block), "blocks", "registers", "shared-memory"
    std::int64_t largest = 0; ///< Largest accepted value; 0: not even the smallest was accepted.
    std::string refusal; ///< The refusal of the next larger value; empty: the largest value that is
                         ///< tried was accepted.
    std::int64_t tried = 0; ///< Number of launches tried.
};

/// By binary search: the accepted values are assumed to form one range from the smallest value. A
/// compiling device also runs each launch once; there the smallest number of registers tried is
/// `least_semaphore_registers`. A launch that ran counts as accepted, whatever its clocks were.
/// Refuses a device without a machine, and a device that no longer runs one warp after an axis:
/// then its refusals were not due to the launch. A replaying device refuses launches that were not
/// recorded, so its limits reflect the recording.
Result<std::vector<LaunchLimit>> find_launch_limits(const Device& device);

} // namespace warpbound::harness
