#pragma once
/// \file
/// A card as a device, through the CUDA driver or the HIP runtime.

#include "harness/device.hpp"
#include "harness/devices/cuda/driver.hpp"

#include <chrono>

namespace warpbound::harness::cuda {

/// Opens a card through its driver. It compiles PTX, or assembles AMD's assembly, and runs one
/// kernel at a time.
///
/// *Region* and *clocks* are the values of %clock64 or of AMD's clock (`amd_clock_read`), of each
/// warp; a wavefront of 64 lanes counts as two warps. Clocks of different SMs differ,
/// so launches of several blocks have none. *Execution time* is the time between two events
/// recorded before and after the launch, in core cycles at the clock rate of that run: it includes
/// the launch overhead of driver and card, and is accurate to half a microsecond (resolution of the
/// events) and one percent (of the rate). A warp counts as finished at its last clock read.
///
/// The clock rate is measured after each run. A run whose rate is more than a twentieth below that
/// of the first run since the card was opened, whatever kernel that run executed, or during which
/// NVML reports a reason, is throttled. Clocks that decrease, or count more cycles than the elapsed
/// time allows, give no times.
///
/// A launch that does not end within the time-out, or after which the driver refuses every call,
/// loses the device: all later runs report that.
///
/// Refuses a driver that is not ready, stating its state, an unknown device number, and a target
/// for which no PTX can be generated.
Result<std::unique_ptr<Device>> open_cuda_device(std::shared_ptr<const Driver> driver, int ordinal,
                                                 std::chrono::milliseconds time_out);

} // namespace warpbound::harness::cuda
