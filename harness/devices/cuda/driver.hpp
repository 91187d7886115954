#pragma once
/// \file
/// The CUDA driver or the HIP runtime, loaded at run time, and the states in which it cannot be
/// used.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"
#include "harness/devices/cuda/driver_abi.hpp"
#include "harness/devices/hip/runtime_abi.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::harness::cuda {

/// Whose functions a driver has. HIP's runtime has nearly all that CUDA's driver has, with the same
/// parameters and statuses, so what runs on a card is written once, in CUDA's names.
enum class Interface { Cuda, Hip };

/// "cuda:", "hip:"
std::string_view card_prefix_of(Interface of);

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
    int lanes = 32; ///< Of a warp or wavefront.
    int multiprocessors = 0;
    int l2_bytes = 0;
    int shared_bytes = 0;      ///< Default limit per block.
    int most_shared_bytes = 0; ///< Opt-in limit per block.
    std::optional<bool> ecc;   ///< Empty: unknown.
    /// Of the timer that code reads beside the clock. `Unit:` hertz.
    double timer_rate = 1e9;
    bool timer_rate_is_assumed = false; ///< The driver does not tell it.
};

/// A driver, in any of the states.
class Driver {
public:
    /// The library that WARPBOUND_CUDA_DRIVER names, or libcuda.so.1; of HIP the one that
    /// WARPBOUND_HIP_RUNTIME names, or the newest of libamdhip64.so.7 to .5 and libamdhip64.so.
    static std::shared_ptr<const Driver> load(Interface of = Interface::Cuda);
    explicit Driver(Interface of = Interface::Cuda) : interface_{of} {}

    [[nodiscard]] Interface interface() const { return interface_; }
    /// "CUDA driver", "HIP runtime".
    [[nodiscard]] std::string_view title() const;
    /// The library's name of a function of CUDA's driver, for messages.
    [[nodiscard]] std::string_view name_of(std::string_view cuda_name) const;
    /// Binds the device to the calling thread.
    Status bind(Context context, DeviceNumber device) const;
    /// The context that sessions with the device share; HIP has one of its own for each device.
    Status retain(Context* context, DeviceNumber device) const;
    void release(DeviceNumber device) const;
    /// The last word of the packed parameters of a launch.
    [[nodiscard]] void* launch_parameters_end() const;

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
    [[nodiscard]] Result<DeviceDescription> describe_cuda(int ordinal,
                                                          const std::string& device) const;
    [[nodiscard]] Result<DeviceDescription> describe_hip(int ordinal,
                                                         const std::string& device) const;
    [[nodiscard]] bool says_no_device(Status status) const;
    /// On the PCI bus; empty: unknown.
    [[nodiscard]] std::string bus_id_of(DeviceNumber device) const;

    Interface interface_ = Interface::Cuda;
    DriverFunctions functions_{};
    hip::RuntimeFunctions hip_{}; ///< Of HIP.
    DriverState state_ = DriverState::Absent;
    std::string text_;
    std::string version_;
    int devices_ = 0;
};

} // namespace warpbound::harness::cuda
