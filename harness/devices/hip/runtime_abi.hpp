#pragma once
/// \file
/// The part of the binary interface of the HIP runtime that differs from that of the CUDA driver,
/// declared here so that no ROCm is needed to build. A test compares it with HIP's headers where
/// there are any.
/// Source: HIP runtime API reference; AMD, hip_runtime_api.h of HIP 5.2 and 7.

#include "harness/devices/cuda/driver_abi.hpp"

#include <array>
#include <cstddef>

namespace warpbound::harness::hip {

using cuda::DeviceNumber;
using cuda::Status; ///< hipError_t has the same numbers.

/// hipDeviceAttribute_t
enum class DeviceAttribute : int {
    WallClockRate = 10017, ///< `Unit:` kHz. Since HIP 5.3.
};

/// The first members of hipDeviceProp_t as `hipGetDeviceProperties` fills it; runtimes since HIP 6
/// keep that layout under this name, and have their own under others.
struct DeviceProperties {
    std::array<char, 256> name{};
    std::size_t global_memory = 0;
    std::size_t shared_memory_per_block = 0; ///< `Unit:` bytes.
    int registers_per_block = 0;
    int lanes = 0; ///< Of a wavefront.
    int max_threads_per_block = 0;
    std::array<int, 3> max_threads{};
    std::array<int, 3> max_grid{};
    int clock_rate = 0; ///< `Unit:` kHz.
    int memory_clock_rate = 0;
    int memory_bus_width = 0;
    std::size_t constant_memory = 0;
    int major = 0;
    int minor = 0;
    int multiprocessors = 0;
    int l2_bytes = 0;
    int max_threads_per_multiprocessor = 0;
    int compute_mode = 0;
    int clock_instruction_rate = 0;
    unsigned architecture_flags = 0;
    int concurrent_kernels = 0;
    int pci_domain = 0;
    int pci_bus = 0;
    int pci_device = 0;
    std::size_t shared_memory_per_multiprocessor = 0;
    int is_multi_gpu_board = 0;
    int can_map_host_memory = 0;
    int gcn_architecture = 0;
    std::array<char, 256> gcn_architecture_name{}; ///< "gfx90a:sramecc+:xnack-"
    /// What is not read here; more than any runtime writes.
    std::array<char, 1024> rest{};
};

/// Functions that have no like in CUDA's driver. Each member is named as the function without
/// `hip`.
struct RuntimeFunctions {
    const char* (*GetErrorName)(Status status);
    const char* (*GetErrorString)(Status status);
    Status (*RuntimeGetVersion)(int* version);
    Status (*SetDevice)(DeviceNumber device);
    Status (*GetDeviceProperties)(DeviceProperties* properties, DeviceNumber device);
    Status (*DeviceGetAttribute)(int* value, DeviceAttribute attribute, DeviceNumber device);
};

/// HIP_LAUNCH_PARAM_END: ends the words of the last argument of hipModuleLaunchKernel.
inline void* const launch_parameters_end = reinterpret_cast<void*>(3);

} // namespace warpbound::harness::hip
