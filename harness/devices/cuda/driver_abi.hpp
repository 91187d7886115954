#pragma once
/// \file
/// The part of the binary interfaces of the CUDA driver and NVML that devices use, declared here so
/// that no toolkit is needed to build. A test compares the driver's part with <cuda.h> where there
/// is one; NVML's is compared with no header.
/// Source: CUDA Driver API reference; NVML API reference.

#include <cstddef>

namespace warpbound::harness::cuda {

/// CUresult
enum class Status : int {
    Success = 0,
    InvalidValue = 1,
    OutOfMemory = 2,
    NotInitialized = 3,
    Deinitialized = 4,
    StubLibrary = 34,
    DeviceUnavailable = 46,
    NoDevice = 100,
    InvalidDevice = 101,
    InvalidContext = 201,
    EccUncorrectable = 214,
    InvalidPtx = 218,
    NotReady = 600,
    IllegalAddress = 700,
    LaunchOutOfResources = 701,
    LaunchTimeout = 702,
    ContextIsDestroyed = 709,
    HardwareStackError = 714,
    IllegalInstruction = 715,
    MisalignedAddress = 716,
    InvalidAddressSpace = 717,
    InvalidPc = 718,
    LaunchFailed = 719,
    SystemNotReady = 802,
    Unknown = 999,
};

/// CUdevice_attribute
enum class DeviceAttribute : int {
    MaxSharedMemoryPerBlock = 8,
    MultiprocessorCount = 16,
    EccEnabled = 32,
    L2CacheSize = 38,
    MaxThreadsPerMultiprocessor = 39,
    AsyncEngineCount = 40,
    ComputeCapabilityMajor = 75,
    ComputeCapabilityMinor = 76,
    MaxSharedMemoryPerMultiprocessor = 81,
    MaxRegistersPerMultiprocessor = 82,
    MaxSharedMemoryPerBlockOptin = 97,
    MaxBlocksPerMultiprocessor = 106,
};

/// CUfunction_attribute
enum class FunctionAttribute : int {
    MaxThreadsPerBlock = 0,
    LocalSizeBytes = 3,
    NumRegs = 4,
    MaxDynamicSharedSizeBytes = 8,
    PreferredSharedMemoryCarveout = 9, ///< `Unit:` percent
};

/// CUjit_option
enum class LinkOption : int {
    ErrorLogBuffer = 5,
    ErrorLogBufferSizeBytes = 6,
};

/// CUjitInputType
enum class LinkInput : int { Ptx = 1 };

using DeviceNumber = int;               ///< CUdevice
using Address = unsigned long long;     ///< CUdeviceptr
using Context = struct ContextTag*;     ///< CUcontext
using Module = struct ModuleTag*;       ///< CUmodule
using Function = struct FunctionTag*;   ///< CUfunction
using Stream = struct StreamTag*;       ///< CUstream
using Event = struct EventTag*;         ///< CUevent
using LinkState = struct LinkStateTag*; ///< CUlinkState

/// The driver's functions. Each member is named as the function without `cu`.
struct DriverFunctions {
    Status (*Init)(unsigned flags);
    Status (*DriverGetVersion)(int* version);
    Status (*GetErrorName)(Status status, const char** name);
    Status (*GetErrorString)(Status status, const char** text);
    Status (*DeviceGetCount)(int* count);
    Status (*DeviceGet)(DeviceNumber* device, int ordinal);
    Status (*DeviceGetName)(char* name, int length, DeviceNumber device);
    Status (*DeviceGetPCIBusId)(char* name, int length, DeviceNumber device);
    Status (*DeviceGetAttribute)(int* value, DeviceAttribute attribute, DeviceNumber device);
    Status (*DevicePrimaryCtxRetain)(Context* context, DeviceNumber device);
    Status (*DevicePrimaryCtxRelease_v2)(DeviceNumber device);
    Status (*CtxSetCurrent)(Context context);
    Status (*LinkCreate_v2)(unsigned count, LinkOption* options, void** values, LinkState* state);
    Status (*LinkAddData_v2)(LinkState state, LinkInput type, void* text, std::size_t size,
                             const char* name, unsigned count, LinkOption* options, void** values);
    Status (*LinkComplete)(LinkState state, void** image, std::size_t* size);
    Status (*LinkDestroy)(LinkState state);
    Status (*ModuleLoadData)(Module* module, const void* image);
    Status (*ModuleUnload)(Module module);
    Status (*ModuleGetFunction)(Function* function, Module module, const char* name);
    Status (*FuncGetAttribute)(int* value, FunctionAttribute attribute, Function function);
    Status (*FuncSetAttribute)(Function function, FunctionAttribute attribute, int value);
    Status (*MemAlloc_v2)(Address* address, std::size_t bytes);
    Status (*MemFree_v2)(Address address);
    Status (*MemAllocHost_v2)(void** address, std::size_t bytes);
    Status (*MemFreeHost)(void* address);
    Status (*MemcpyHtoD_v2)(Address to, const void* from, std::size_t bytes);
    Status (*MemcpyDtoH_v2)(void* to, Address from, std::size_t bytes);
    Status (*MemcpyHtoDAsync_v2)(Address to, const void* from, std::size_t bytes, Stream stream);
    Status (*MemcpyDtoHAsync_v2)(void* to, Address from, std::size_t bytes, Stream stream);
    Status (*MemsetD8_v2)(Address to, unsigned char value, std::size_t bytes);
    Status (*StreamCreate)(Stream* stream, unsigned flags);
    Status (*StreamDestroy_v2)(Stream stream);
    Status (*LaunchKernel)(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                           unsigned block_x, unsigned block_y, unsigned block_z,
                           unsigned shared_bytes, Stream stream, void** arguments, void** extra);
    Status (*EventCreate)(Event* event, unsigned flags);
    Status (*EventRecord)(Event event, Stream stream);
    Status (*EventQuery)(Event event);
    Status (*EventElapsedTime)(float* milliseconds, Event from, Event to);
    Status (*EventDestroy_v2)(Event event);
    // These may be absent.
    Status (*CtxGetStreamPriorityRange)(int* least, int* greatest);
    Status (*StreamCreateWithPriority)(Stream* stream, unsigned flags, int priority);
};

/// CU_LAUNCH_PARAM_BUFFER_POINTER and CU_LAUNCH_PARAM_BUFFER_SIZE: words of the last argument of
/// cuLaunchKernel, each before its value; a null word ends them.
inline void* const launch_parameters = reinterpret_cast<void*>(1);
inline void* const launch_parameters_size = reinterpret_cast<void*>(2);

/// CU_STREAM_NON_BLOCKING: such a stream neither waits for copies and fills that use no stream, nor
/// do they wait for it.
inline constexpr unsigned stream_non_blocking = 1;

/// nvmlReturn_t
enum class NvmlStatus : int { Success = 0, NotSupported = 3, NoPermission = 4 };
/// nvmlClockType_t
enum class NvmlClock : int { Multiprocessor = 1, Memory = 2 };
/// nvmlTemperatureSensors_t
enum class NvmlSensor : int { Gpu = 0 };
using NvmlDevice = struct NvmlDeviceTag*;

/// NVML's functions. Each member is named as the function without `nvml`.
struct NvmlFunctions {
    NvmlStatus (*Init_v2)();
    const char* (*ErrorString)(NvmlStatus status);
    NvmlStatus (*DeviceGetHandleByPciBusId_v2)(const char* bus_id, NvmlDevice* device);
    NvmlStatus (*DeviceGetTemperature)(NvmlDevice device, NvmlSensor sensor, unsigned* celsius);
    NvmlStatus (*DeviceGetPerformanceState)(NvmlDevice device, int* state);
    NvmlStatus (*DeviceGetClockInfo)(NvmlDevice device, NvmlClock clock, unsigned* megahertz);
    NvmlStatus (*DeviceGetCurrentClocksThrottleReasons)(NvmlDevice device,
                                                        unsigned long long* reasons);
    NvmlStatus (*DeviceGetMigMode)(NvmlDevice device, unsigned* current, unsigned* pending);
};

} // namespace warpbound::harness::cuda
