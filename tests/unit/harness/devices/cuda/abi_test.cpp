/// \file
/// The declarations of the driver's interface agree with the toolkit's.

#include "harness/devices/cuda/driver_abi.hpp"

#include <gtest/gtest.h>

#include <cuda.h>
#include <type_traits>

namespace warpbound::harness::cuda {
namespace {

/// Passed alike: of equal size, and both integers or both pointers.
template <typename Ours, typename Theirs> constexpr bool alike() {
    constexpr bool both_pointers = std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>;
    constexpr bool both_numbers = (std::is_integral_v<Ours> || std::is_enum_v<Ours>)&&(
        std::is_integral_v<Theirs> || std::is_enum_v<Theirs>);
    return sizeof(Ours) == sizeof(Theirs) && (both_pointers || both_numbers);
}

template <typename Ours, typename Theirs> struct Same : std::false_type {};
template <typename R, typename... A, typename S, typename... B>
struct Same<R (*)(A...), S (*)(B...)> {
    static constexpr bool check() {
        if constexpr (sizeof...(A) != sizeof...(B))
            return false;
        else
            return alike<R, S>() && (alike<A, B>() && ...);
    }
    static constexpr bool value = check();
};

#define SAME(name) static_assert(Same<decltype(DriverFunctions::name), decltype(&cu##name)>::value)

// <cuda.h> renames functions to the versions that it declares.
static_assert(Same<decltype(DriverFunctions::Init), decltype(&cuInit)>::value);
SAME(DriverGetVersion);
SAME(GetErrorName);
SAME(GetErrorString);
SAME(DeviceGetCount);
SAME(DeviceGet);
SAME(DeviceGetName);
SAME(DeviceGetPCIBusId);
SAME(DeviceGetAttribute);
SAME(DevicePrimaryCtxRetain);
SAME(DevicePrimaryCtxRelease_v2);
SAME(CtxSetCurrent);
SAME(LinkCreate_v2);
SAME(LinkAddData_v2);
SAME(LinkComplete);
SAME(LinkDestroy);
SAME(ModuleLoadData);
SAME(ModuleUnload);
SAME(ModuleGetFunction);
SAME(FuncGetAttribute);
SAME(FuncSetAttribute);
SAME(MemAlloc_v2);
SAME(MemFree_v2);
SAME(MemAllocHost_v2);
SAME(MemFreeHost);
SAME(MemcpyHtoD_v2);
SAME(MemcpyDtoH_v2);
SAME(MemcpyHtoDAsync_v2);
SAME(MemcpyDtoHAsync_v2);
SAME(MemsetD8_v2);
SAME(StreamCreate);
SAME(StreamDestroy_v2);
SAME(LaunchKernel);
SAME(EventCreate);
SAME(EventRecord);
SAME(EventQuery);
SAME(EventDestroy_v2);
SAME(CtxGetStreamPriorityRange);
SAME(StreamCreateWithPriority);
static_assert(
    Same<decltype(DriverFunctions::EventElapsedTime), decltype(&cuEventElapsedTime)>::value);
static_assert(sizeof(Address) == sizeof(CUdeviceptr));

template <typename Ours, typename Theirs> void expect_same(Ours ours, Theirs theirs) {
    EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs));
}

TEST(DriverAbi, HasTheNumbersOfTheToolkit) {
    expect_same(Status::Success, CUDA_SUCCESS);
    expect_same(Status::InvalidValue, CUDA_ERROR_INVALID_VALUE);
    expect_same(Status::OutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
    expect_same(Status::NotInitialized, CUDA_ERROR_NOT_INITIALIZED);
    expect_same(Status::Deinitialized, CUDA_ERROR_DEINITIALIZED);
    expect_same(Status::StubLibrary, CUDA_ERROR_STUB_LIBRARY);
    expect_same(Status::DeviceUnavailable, CUDA_ERROR_DEVICE_UNAVAILABLE);
    expect_same(Status::NoDevice, CUDA_ERROR_NO_DEVICE);
    expect_same(Status::InvalidDevice, CUDA_ERROR_INVALID_DEVICE);
    expect_same(Status::InvalidContext, CUDA_ERROR_INVALID_CONTEXT);
    expect_same(Status::EccUncorrectable, CUDA_ERROR_ECC_UNCORRECTABLE);
    expect_same(Status::InvalidPtx, CUDA_ERROR_INVALID_PTX);
    expect_same(Status::NotReady, CUDA_ERROR_NOT_READY);
    expect_same(Status::IllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
    expect_same(Status::LaunchOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
    expect_same(Status::LaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
    expect_same(Status::ContextIsDestroyed, CUDA_ERROR_CONTEXT_IS_DESTROYED);
    expect_same(Status::HardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
    expect_same(Status::IllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
    expect_same(Status::MisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
    expect_same(Status::InvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
    expect_same(Status::InvalidPc, CUDA_ERROR_INVALID_PC);
    expect_same(Status::LaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
    expect_same(Status::SystemNotReady, CUDA_ERROR_SYSTEM_NOT_READY);
    expect_same(Status::Unknown, CUDA_ERROR_UNKNOWN);
    expect_same(DeviceAttribute::MaxSharedMemoryPerBlock,
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
    expect_same(DeviceAttribute::MultiprocessorCount, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    expect_same(DeviceAttribute::MaxThreadsPerMultiprocessor,
                CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    expect_same(DeviceAttribute::AsyncEngineCount, CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
    expect_same(DeviceAttribute::MaxSharedMemoryPerMultiprocessor,
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    expect_same(DeviceAttribute::MaxRegistersPerMultiprocessor,
                CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    expect_same(DeviceAttribute::MaxBlocksPerMultiprocessor,
                CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    expect_same(DeviceAttribute::EccEnabled, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
    expect_same(DeviceAttribute::L2CacheSize, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    expect_same(DeviceAttribute::ComputeCapabilityMajor,
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    expect_same(DeviceAttribute::ComputeCapabilityMinor,
                CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    expect_same(DeviceAttribute::MaxSharedMemoryPerBlockOptin,
                CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    EXPECT_EQ(launch_parameters, CU_LAUNCH_PARAM_BUFFER_POINTER);
    EXPECT_EQ(launch_parameters_size, CU_LAUNCH_PARAM_BUFFER_SIZE);
    expect_same(FunctionAttribute::MaxThreadsPerBlock, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    expect_same(FunctionAttribute::LocalSizeBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    expect_same(FunctionAttribute::NumRegs, CU_FUNC_ATTRIBUTE_NUM_REGS);
    expect_same(FunctionAttribute::PreferredSharedMemoryCarveout,
                CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    expect_same(FunctionAttribute::MaxDynamicSharedSizeBytes,
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    expect_same(LinkOption::ErrorLogBuffer, CU_JIT_ERROR_LOG_BUFFER);
    expect_same(LinkOption::ErrorLogBufferSizeBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
    expect_same(LinkInput::Ptx, CU_JIT_INPUT_PTX);
}

} // namespace
} // namespace warpbound::harness::cuda
