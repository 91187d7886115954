#pragma once
/// \file
/// What NVML says about a device now: clocks, temperature, throttling.

#include "harness/device.hpp"
#include "harness/devices/cuda/driver_abi.hpp"

#include <optional>
#include <string>

namespace warpbound::harness::cuda {

/// The state of one device. Whatever cannot be read is said as unknown, with the reason.
class DeviceState {
public:
    /// Of the device at a place on the PCI bus; of none where NVML (the library that WARPBOUND_NVML
    /// names, or libnvidia-ml.so.1) is absent or does not know it.
    explicit DeviceState(const std::string& bus_id);

    /// "temperature" -> "41 C", "power-state" -> "P0", "clock" -> "1980 MHz", "memory-clock",
    /// "throttled", "mig"; "unknown: <reason>" each.
    [[nodiscard]] Conditions conditions() const;
    /// Why the device lowers its clock now; nothing: it does not, or it is unknown.
    [[nodiscard]] std::optional<std::string> throttled() const;

private:
    NvmlFunctions functions_{};
    NvmlDevice device_ = nullptr; ///< Null: unknown.
    std::string unknown_;         ///< Why.
};

} // namespace warpbound::harness::cuda
