#pragma once
/// \file
/// The description of the machine that a device is.

#include "harness/device.hpp"
#include "models/architecture/architecture.hpp"

namespace warpbound::harness {

/// Of a simulated device its own description; of a card the description of the same target whose
/// card its name contains ("NVIDIA GeForce RTX 3060": ampere-rtx3060), else the one that stands for
/// the target. Refuses a device of which neither exists.
Result<models::Architecture> described_machine(const DeviceIdentity& device);

} // namespace warpbound::harness
