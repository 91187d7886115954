#pragma once
/// \file
/// The current state of an AMD card as the files of Linux's amdgpu driver tell it. Read only.

#include "harness/device.hpp"

#include <filesystem>
#include <string>

namespace warpbound::harness::hip {

/// "clock", "memory-clock", "temperature" and "performance-level" of the card at a PCI bus id,
/// below the folder that `cuda::board_root` gives. What cannot be read is absent. `Source:` Linux
/// kernel, "Documentation/gpu/amdgpu/thermal.rst": hwmon interfaces and
/// power_dpm_force_performance_level. Not tried on a card.
Conditions amdgpu_state(const std::filesystem::path& root, const std::string& bus_id);

} // namespace warpbound::harness::hip
