#pragma once
/// \file
/// The simulated machine as a device.

#include "harness/device.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/warp_policy.hpp"

#include <memory>

namespace warpbound::harness {

/// A device of so many SMs that runs kernels as docs/reference/timing-contract.md says, with the
/// numbers of a description.
std::unique_ptr<Device> simulated_device(models::Architecture architecture,
                                         const models::WarpPolicy& policy,
                                         std::int64_t multiprocessors = 1);

} // namespace warpbound::harness
