#pragma once
/// \file
/// The current state of a device as NVML reports it: clocks, temperature, throttling.

#include "harness/device.hpp"
#include "harness/devices/cuda/driver_abi.hpp"

#include <optional>
#include <string>

namespace warpbound::harness::cuda {

/// The state of one device. Values that cannot be read are reported as unknown, with the reason.
class DeviceState {
public:
    /// Opens the device at a PCI bus id. The state is unknown if NVML (the library that
    /// WARPBOUND_NVML names, or libnvidia-ml.so.1) is absent or does not know the device.
    explicit DeviceState(const std::string& bus_id);

    /// "temperature" -> "41 C", "power-state" -> "P0", "clock" -> "1980 MHz", "memory-clock",
    /// "throttled", "mig"; "unknown: <reason>" each.
    [[nodiscard]] Conditions conditions() const;
    /// Why the device lowers its clock now; empty: it does not, or it is unknown.
    [[nodiscard]] std::optional<std::string> throttled() const;

private:
    NvmlFunctions functions_{};
    NvmlDevice device_ = nullptr; ///< Null: unknown.
    std::string unknown_;         ///< Why the state is unknown.
};

} // namespace warpbound::harness::cuda
