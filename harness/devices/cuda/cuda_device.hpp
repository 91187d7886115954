#pragma once
/// \file
/// A CUDA card as a device.

#include "harness/device.hpp"
#include "harness/devices/cuda/driver.hpp"

#include <chrono>

namespace warpbound::harness::cuda {

/// Opens a card through its driver. It compiles PTX and runs one kernel at a time.
///
/// *Region* and *clocks* are the values of %clock64, of each warp. Clocks of different SMs are not
/// the same, so launches of several blocks give none. *Execution time* is the time between two
/// events before and behind the launch, in core cycles at the clock rate of that run: it contains
/// what the driver and the card need for a launch, and is right to half a microsecond (resolution
/// of the events) and one percent (of the rate). A warp is finished with its last clock read.
///
/// The clock rate is measured after each run. A run whose rate is more than a twentieth below that
/// of the first run since the card was opened, whatever kernel it was of, or during which NVML
/// names a reason, is throttled. Clocks that go back, or count more cycles than the time between
/// can have held, give no times.
///
/// A launch that does not end within the time-out, or after which the driver refuses every call,
/// loses the device: all later runs say so.
///
/// Refuses a driver that is not ready, saying what state it is in, a number that is no device's,
/// and a target that no PTX is written for.
Result<std::unique_ptr<Device>> open_cuda_device(std::shared_ptr<const Driver> driver, int ordinal,
                                                 std::chrono::milliseconds time_out);

} // namespace warpbound::harness::cuda
