#pragma once
/// \file
/// The current state of a device as NVML or, of AMD, Linux reports it: clocks, temperature,
/// throttling.

#include "harness/device.hpp"
#include "harness/devices/cuda/driver.hpp"

#include <optional>
#include <string>

namespace warpbound::harness::cuda {

/// The state of one device. Values that cannot be read are reported as unknown, with the reason.
class DeviceState {
public:
    /// Opens the device at its PCI bus id. The state is unknown if NVML (the library that
    /// WARPBOUND_NVML names, or libnvidia-ml.so.1) is absent or does not know the device. Of a card
    /// of AMD it is `hip::amdgpu_state`.
    explicit DeviceState(const DeviceDescription& device);

    /// "temperature" -> "41 C", "power-state" -> "P0", "clock" -> "1980 MHz", "memory-clock",
    /// "throttled", "mig"; "unknown: <reason>" each.
    [[nodiscard]] Conditions conditions() const;
    /// Why the device lowers its clock now; empty: it does not, or it is unknown.
    [[nodiscard]] std::optional<std::string> throttled() const;

private:
    NvmlFunctions functions_{};
    NvmlDevice device_ = nullptr; ///< Null: unknown.
    std::string unknown_;         ///< Why the state is unknown.
    std::string amd_bus_id_;      ///< Of a card of AMD; empty: it is none.
};

} // namespace warpbound::harness::cuda
