#pragma once
/// \file
/// The CUDA driver, loaded at run time, and the states in which it cannot be used.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"
#include "harness/devices/cuda/driver_abi.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::harness::cuda {

enum class DriverState {
    Absent,      ///< No library of that name.
    Incomplete,  ///< It lacks a function: too old, or another library.
    Stub,        ///< The toolkit's library to link with, which does nothing.
    InitFailure, ///< The driver does not start.
    NoDevice,    ///< It starts and knows no device.
    Ready,
};

/// The properties of a device that are constant while its driver is loaded.
struct DeviceDescription {
    DeviceNumber number = 0;
    std::string name;
    std::string bus_id; ///< On the PCI bus; empty: unknown.
    assembly::Target target;
    int multiprocessors = 0;
    int l2_bytes = 0;
    int shared_bytes = 0;      ///< Default limit per block.
    int most_shared_bytes = 0; ///< Opt-in limit per block.
    std::optional<bool> ecc;   ///< Empty: unknown.
};

/// A driver, in any of the states.
class Driver {
public:
    /// The library that WARPBOUND_CUDA_DRIVER names, or libcuda.so.1.
    static std::shared_ptr<const Driver> load();

    [[nodiscard]] DriverState state() const { return state_; }
    /// A description of the state for reports, with the driver's or the loader's message.
    [[nodiscard]] const std::string& text() const { return text_; }
    /// "13.0"
    [[nodiscard]] const std::string& version() const { return version_; }
    /// Requires: ready.
    [[nodiscard]] int devices() const { return devices_; }
    [[nodiscard]] Result<DeviceDescription> describe(int ordinal) const;

    /// Requires: the driver is neither absent nor incomplete.
    [[nodiscard]] const DriverFunctions& call() const { return functions_; }
    /// "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered"
    [[nodiscard]] std::string message(Status status) const;

private:
    void start();

    DriverFunctions functions_{};
    DriverState state_ = DriverState::Absent;
    std::string text_;
    std::string version_;
    int devices_ = 0;
};

} // namespace warpbound::harness::cuda
