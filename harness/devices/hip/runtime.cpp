#include "harness/devices/hip/runtime.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace warpbound::harness::hip {

namespace {

/// Functions that take and return the same in both interfaces, an address being a number in one and
/// a pointer in the other.
struct CommonName {
    std::string_view cuda;
    std::string_view hip;
};
constexpr auto common_names = std::to_array<CommonName>({
    {"cuInit", "hipInit"},
    {"cuDeviceGetCount", "hipGetDeviceCount"},
    {"cuDeviceGet", "hipDeviceGet"},
    {"cuDeviceGetPCIBusId", "hipDeviceGetPCIBusId"},
    {"cuModuleLoadData", "hipModuleLoadData"},
    {"cuModuleUnload", "hipModuleUnload"},
    {"cuModuleGetFunction", "hipModuleGetFunction"},
    {"cuFuncGetAttribute", "hipFuncGetAttribute"},
    {"cuMemAlloc_v2", "hipMalloc"},
    {"cuMemFree_v2", "hipFree"},
    {"cuMemAllocHost_v2", "hipMemAllocHost"},
    {"cuMemFreeHost", "hipHostFree"},
    {"cuMemcpyHtoD_v2", "hipMemcpyHtoD"},
    {"cuMemcpyDtoH_v2", "hipMemcpyDtoH"},
    {"cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync"},
    {"cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync"},
    {"cuMemsetD8_v2", "hipMemsetD8"},
    {"cuStreamCreate", "hipStreamCreateWithFlags"},
    {"cuStreamDestroy_v2", "hipStreamDestroy"},
    {"cuLaunchKernel", "hipModuleLaunchKernel"},
    {"cuEventCreate", "hipEventCreateWithFlags"},
    {"cuEventRecord", "hipEventRecord"},
    {"cuEventQuery", "hipEventQuery"},
    {"cuEventElapsedTime", "hipEventElapsedTime"},
    {"cuEventDestroy_v2", "hipEventDestroy"},
});

} // namespace

std::string_view name_of_function(std::string_view cuda_name) {
    const auto* const found =
        std::find_if(common_names.begin(), common_names.end(),
                     [&](const CommonName& one) { return one.cuda == cuda_name; });
    return found == common_names.end() ? std::string_view{} : found->hip;
}

std::string find_functions(const cuda::SharedLibrary& library, cuda::DriverFunctions& common,
                           RuntimeFunctions& own) {
    std::string missing;
    const auto find_own = [&](std::string_view name, auto& function) {
        if (missing.empty() && !library.find(std::string{name}, function)) missing = name;
    };
    const auto find = [&](std::string_view cuda_name, auto& function) {
        find_own(name_of_function(cuda_name), function);
    };
    find("cuInit", common.Init);
    find_own("hipRuntimeGetVersion", own.RuntimeGetVersion);
    find_own("hipGetErrorName", own.GetErrorName);
    find_own("hipGetErrorString", own.GetErrorString);
    find("cuDeviceGetCount", common.DeviceGetCount);
    find("cuDeviceGet", common.DeviceGet);
    find("cuDeviceGetPCIBusId", common.DeviceGetPCIBusId);
    find_own("hipGetDeviceProperties", own.GetDeviceProperties);
    find_own("hipDeviceGetAttribute", own.DeviceGetAttribute);
    find_own("hipSetDevice", own.SetDevice);
    find("cuModuleLoadData", common.ModuleLoadData);
    find("cuModuleUnload", common.ModuleUnload);
    find("cuModuleGetFunction", common.ModuleGetFunction);
    find("cuFuncGetAttribute", common.FuncGetAttribute);
    find("cuMemAlloc_v2", common.MemAlloc_v2);
    find("cuMemFree_v2", common.MemFree_v2);
    find("cuMemAllocHost_v2", common.MemAllocHost_v2);
    find("cuMemFreeHost", common.MemFreeHost);
    find("cuMemcpyHtoD_v2", common.MemcpyHtoD_v2);
    find("cuMemcpyDtoH_v2", common.MemcpyDtoH_v2);
    find("cuMemcpyHtoDAsync_v2", common.MemcpyHtoDAsync_v2);
    find("cuMemcpyDtoHAsync_v2", common.MemcpyDtoHAsync_v2);
    find("cuMemsetD8_v2", common.MemsetD8_v2);
    find("cuStreamCreate", common.StreamCreate);
    find("cuStreamDestroy_v2", common.StreamDestroy_v2);
    find("cuLaunchKernel", common.LaunchKernel);
    find("cuEventCreate", common.EventCreate);
    find("cuEventRecord", common.EventRecord);
    find("cuEventQuery", common.EventQuery);
    find("cuEventElapsedTime", common.EventElapsedTime);
    find("cuEventDestroy_v2", common.EventDestroy_v2);
    return missing;
}

std::string version_text(int version) {
    constexpr int first_long = 40'000'000;
    constexpr int of_major = 10'000'000;
    constexpr int of_minor = 100'000;
    if (version < first_long) return fmt::format("{}", version);
    return fmt::format("{}.{}.{}", version / of_major, version % of_major / of_minor,
                       version % of_minor);
}

} // namespace warpbound::harness::hip
