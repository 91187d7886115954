#pragma once
/// \file
/// The simulated machine as a device.

#include "harness/device.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/warp_policy.hpp"

#include <memory>

namespace warpbound::harness {

/// A simulated device with the given number of SMs. It runs kernels by
/// docs/reference/timing-contract.md, with the values of an architecture description.
std::unique_ptr<Device> simulated_device(models::Architecture architecture,
                                         const models::WarpPolicy& policy,
                                         std::int64_t multiprocessors = 1);

} // namespace warpbound::harness
