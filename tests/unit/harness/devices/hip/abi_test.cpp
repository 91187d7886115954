/// \file
/// The declarations of the runtime's interface agree with HIP's headers.

#include "harness/devices/hip/runtime_abi.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <hip/hip_runtime_api.h>
#if HIP_VERSION_MAJOR >= 6
#include <hip/hip_deprecated.h> // The layout of properties that this program reads.
#endif
#include <type_traits>

// Headers deprecate functions that every runtime has.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace warpbound::harness::hip {
namespace {

template <typename T> constexpr bool is_number = std::is_integral_v<T> || std::is_enum_v<T>;

/// Passed alike: of equal size, and both whole numbers or both pointers. An address may be a number
/// in one and a pointer in the other, which are passed alike on every platform of HIP.
template <typename Ours, typename Theirs> constexpr bool alike() {
    constexpr bool both_pointers = std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>;
    constexpr bool both_numbers = is_number<Ours> && is_number<Theirs>;
    constexpr bool address = std::is_same_v<Ours, cuda::Address> && std::is_pointer_v<Theirs>;
    return sizeof(Ours) == sizeof(Theirs) && (both_pointers || both_numbers || address);
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

using Common = cuda::DriverFunctions;
#define SAME(ours, theirs) static_assert(Same<decltype(ours), decltype(&theirs)>::value)

SAME(Common::Init, hipInit);
SAME(Common::DeviceGetCount, hipGetDeviceCount);
SAME(Common::DeviceGet, hipDeviceGet);
SAME(Common::DeviceGetPCIBusId, hipDeviceGetPCIBusId);
SAME(Common::ModuleLoadData, hipModuleLoadData);
SAME(Common::ModuleUnload, hipModuleUnload);
SAME(Common::ModuleGetFunction, hipModuleGetFunction);
SAME(Common::FuncGetAttribute, hipFuncGetAttribute);
static_assert(Same<decltype(Common::MemAlloc_v2), hipError_t (*)(void**, std::size_t)>::value);
static_assert(std::is_same_v<decltype(static_cast<hipError_t (*)(void**, std::size_t)>(&hipMalloc)),
                             hipError_t (*)(void**, std::size_t)>);
SAME(Common::MemFree_v2, hipFree);
SAME(Common::MemAllocHost_v2, hipMemAllocHost);
SAME(Common::MemFreeHost, hipHostFree);
SAME(Common::MemcpyHtoD_v2, hipMemcpyHtoD);
SAME(Common::MemcpyDtoH_v2, hipMemcpyDtoH);
SAME(Common::MemcpyHtoDAsync_v2, hipMemcpyHtoDAsync);
SAME(Common::MemcpyDtoHAsync_v2, hipMemcpyDtoHAsync);
SAME(Common::MemsetD8_v2, hipMemsetD8);
SAME(Common::StreamCreate, hipStreamCreateWithFlags);
SAME(Common::StreamDestroy_v2, hipStreamDestroy);
SAME(Common::LaunchKernel, hipModuleLaunchKernel);
SAME(Common::EventCreate, hipEventCreateWithFlags);
SAME(Common::EventRecord, hipEventRecord);
SAME(Common::EventQuery, hipEventQuery);
static_assert(Same<decltype(Common::EventElapsedTime), decltype(&hipEventElapsedTime)>::value);
SAME(Common::EventDestroy_v2, hipEventDestroy);
SAME(RuntimeFunctions::GetErrorName, hipGetErrorName);
SAME(RuntimeFunctions::GetErrorString, hipGetErrorString);
SAME(RuntimeFunctions::RuntimeGetVersion, hipRuntimeGetVersion);
SAME(RuntimeFunctions::SetDevice, hipSetDevice);
SAME(RuntimeFunctions::GetDeviceProperties, hipGetDeviceProperties);
SAME(RuntimeFunctions::DeviceGetAttribute, hipDeviceGetAttribute);

template <typename Ours, typename Theirs> void expect_same(Ours ours, Theirs theirs) {
    EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs));
}

TEST(HipAbi, HasTheNumbersOfTheHeaders) {
    expect_same(Status::Success, hipSuccess);
    expect_same(Status::InvalidValue, hipErrorInvalidValue);
    expect_same(Status::OutOfMemory, hipErrorOutOfMemory);
    expect_same(Status::NotInitialized, hipErrorNotInitialized);
    expect_same(Status::Deinitialized, hipErrorDeinitialized);
    expect_same(Status::NoDevice, hipErrorNoDevice);
    expect_same(Status::InvalidDevice, hipErrorInvalidDevice);
    expect_same(Status::InvalidContext, hipErrorInvalidContext);
    expect_same(Status::EccUncorrectable, hipErrorECCNotCorrectable);
    expect_same(Status::InvalidPtx, hipErrorInvalidKernelFile);
    expect_same(Status::NotReady, hipErrorNotReady);
    expect_same(Status::IllegalAddress, hipErrorIllegalAddress);
    expect_same(Status::LaunchOutOfResources, hipErrorLaunchOutOfResources);
    expect_same(Status::LaunchTimeout, hipErrorLaunchTimeOut);
    expect_same(Status::ContextIsDestroyed, hipErrorContextIsDestroyed);
    expect_same(Status::LaunchFailed, hipErrorLaunchFailure);
    expect_same(Status::Unknown, hipErrorUnknown);
#if HIP_VERSION_MAJOR >= 6
    expect_same(DeviceAttribute::WallClockRate, hipDeviceAttributeWallClockRate);
#endif
    using cuda::FunctionAttribute;
    expect_same(FunctionAttribute::MaxThreadsPerBlock, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    expect_same(FunctionAttribute::LocalSizeBytes, HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
    expect_same(FunctionAttribute::NumRegs, HIP_FUNC_ATTRIBUTE_NUM_REGS);
    expect_same(cuda::stream_non_blocking, hipStreamNonBlocking);
    EXPECT_EQ(cuda::launch_parameters, HIP_LAUNCH_PARAM_BUFFER_POINTER);
    EXPECT_EQ(cuda::launch_parameters_size, HIP_LAUNCH_PARAM_BUFFER_SIZE);
    EXPECT_EQ(launch_parameters_end, HIP_LAUNCH_PARAM_END);
}

#if HIP_VERSION_MAJOR >= 6
using TheirProperties = hipDeviceProp_tR0000;
#else
using TheirProperties = hipDeviceProp_t;
#endif

TEST(HipAbi, FindsThePropertiesOfADeviceWhereTheRuntimeWritesThem) {
    EXPECT_GE(sizeof(DeviceProperties), sizeof(TheirProperties));
#define SAME_PLACE(ours, theirs)                                                                   \
    EXPECT_EQ(offsetof(DeviceProperties, ours), offsetof(TheirProperties, theirs))
    SAME_PLACE(name, name);
    SAME_PLACE(shared_memory_per_block, sharedMemPerBlock);
    SAME_PLACE(registers_per_block, regsPerBlock);
    SAME_PLACE(lanes, warpSize);
    SAME_PLACE(max_grid, maxGridSize);
    SAME_PLACE(clock_rate, clockRate);
    SAME_PLACE(constant_memory, totalConstMem);
    SAME_PLACE(multiprocessors, multiProcessorCount);
    SAME_PLACE(l2_bytes, l2CacheSize);
    SAME_PLACE(clock_instruction_rate, clockInstructionRate);
    SAME_PLACE(pci_bus, pciBusID);
    SAME_PLACE(shared_memory_per_multiprocessor, maxSharedMemoryPerMultiProcessor);
    SAME_PLACE(gcn_architecture, gcnArch);
    SAME_PLACE(gcn_architecture_name, gcnArchName);
    SAME_PLACE(rest, integrated);
}

} // namespace
} // namespace warpbound::harness::hip
