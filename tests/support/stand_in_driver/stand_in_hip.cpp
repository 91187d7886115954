/// \file
/// A HIP runtime without a card: the stand-in driver under the names and with the types of HIP.

#include "harness/devices/hip/runtime_abi.hpp"
#include "tests/support/stand_in_driver/played_machine.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace {

using namespace warpbound::harness::cuda;
using warpbound::harness::hip::DeviceProperties;
using warpbound::tests::machine;

} // namespace

extern "C" {

// Those of the stand-in driver.
Status cuInit(unsigned flags);
Status cuDeviceGetCount(int* count);
Status cuDeviceGet(DeviceNumber* device, int ordinal);
Status cuDeviceGetPCIBusId(char* name, int length, DeviceNumber device);
Status cuModuleLoadData(Module* module, const void* image);
Status cuModuleUnload(Module module);
Status cuModuleGetFunction(Function* function, Module module, const char* name);
Status cuFuncGetAttribute(int* value, FunctionAttribute attribute, Function function);
Status cuMemAlloc_v2(Address* address, std::size_t bytes);
Status cuMemFree_v2(Address address);
Status cuMemAllocHost_v2(void** address, std::size_t bytes);
Status cuMemFreeHost(void* address);
Status cuMemcpyHtoD_v2(Address to, const void* from, std::size_t bytes);
Status cuMemcpyDtoH_v2(void* to, Address from, std::size_t bytes);
Status cuMemcpyHtoDAsync_v2(Address to, const void* from, std::size_t bytes, Stream stream);
Status cuMemcpyDtoHAsync_v2(void* to, Address from, std::size_t bytes, Stream stream);
Status cuMemsetD8_v2(Address to, unsigned char value, std::size_t bytes);
Status cuStreamCreate(Stream* stream, unsigned flags);
Status cuStreamDestroy_v2(Stream stream);
Status cuLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                      unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                      Stream stream, void** arguments, void** extra);
Status cuEventCreate(Event* event, unsigned flags);
Status cuEventRecord(Event event, Stream stream);
Status cuEventQuery(Event event);
Status cuEventElapsedTime(float* milliseconds, Event from, Event to);
Status cuEventDestroy_v2(Event event);

Status hipInit(unsigned flags) {
    const Status status = cuInit(flags);
    machine().lanes = machine().script.lanes;
    constexpr double usual_period = 10.0;
    machine().timer_period =
        machine().script.timer_rate > 0 ? 1e6 / machine().script.timer_rate : usual_period;
    return status;
}
Status hipRuntimeGetVersion(int* version) {
    *version = 60241134;
    return Status::Success;
}
const char* hipGetErrorName(Status status) {
    switch (status) {
    case Status::OutOfMemory:
        return "hipErrorOutOfMemory";
    case Status::NoDevice:
        return "hipErrorNoDevice";
    case Status::InvalidDevice:
        return "hipErrorInvalidDevice";
    case Status::IllegalAddress:
        return "hipErrorIllegalAddress";
    case Status::LaunchOutOfResources:
        return "hipErrorLaunchOutOfResources";
    case Status::InvalidValue:
        return "hipErrorInvalidValue";
    default:
        return "hipErrorUnknown";
    }
}
const char* hipGetErrorString(Status) {
    return "said by the stand-in";
}
Status hipGetDeviceCount(int* count) {
    return cuDeviceGetCount(count);
}
Status hipDeviceGet(DeviceNumber* device, int ordinal) {
    return cuDeviceGet(device, ordinal);
}
Status hipDeviceGetPCIBusId(char* name, int length, DeviceNumber device) {
    return cuDeviceGetPCIBusId(name, length, device);
}
/// Fills what the runtime of HIP 5.2 fills, and no more.
Status hipGetDeviceProperties(DeviceProperties* properties, DeviceNumber) {
    constexpr std::size_t written = 792;
    std::memset(static_cast<void*>(properties), 0, written);
    std::strncpy(properties->name.data(), "Stand-in", properties->name.size() - 1);
    const std::string& processor = machine().script.processor;
    std::copy(processor.begin(), processor.end(), properties->gcn_architecture_name.begin());
    properties->lanes = machine().script.lanes;
    properties->multiprocessors = 2;
    properties->l2_bytes = machine().script.l2_bytes;
    properties->shared_memory_per_block = 65536;
    return warpbound::tests::answer("hipGetDeviceProperties");
}
Status hipDeviceGetAttribute(int* value, warpbound::harness::hip::DeviceAttribute attribute,
                             DeviceNumber) {
    using enum warpbound::harness::hip::DeviceAttribute;
    if (attribute != WallClockRate || machine().script.timer_rate == 0) return Status::InvalidValue;
    *value = machine().script.timer_rate;
    return Status::Success;
}
Status hipSetDevice(DeviceNumber) {
    return warpbound::tests::answer("hipSetDevice");
}
Status hipModuleLoadData(Module* module, const void* image) {
    return cuModuleLoadData(module, image);
}
Status hipModuleUnload(Module module) {
    return cuModuleUnload(module);
}
Status hipModuleGetFunction(Function* function, Module module, const char* name) {
    return cuModuleGetFunction(function, module, name);
}
Status hipFuncGetAttribute(int* value, FunctionAttribute attribute, Function function) {
    return cuFuncGetAttribute(value, attribute, function);
}
Status hipMalloc(void** address, std::size_t bytes) {
    Address memory = 0;
    const Status status = cuMemAlloc_v2(&memory, bytes);
    *address = reinterpret_cast<void*>(memory);
    return status;
}
Status hipFree(void* address) {
    return cuMemFree_v2(reinterpret_cast<Address>(address));
}
Status hipMemAllocHost(void** address, std::size_t bytes) {
    return cuMemAllocHost_v2(address, bytes);
}
Status hipHostFree(void* address) {
    return cuMemFreeHost(address);
}
Status hipMemcpyHtoD(void* to, void* from, std::size_t bytes) {
    return cuMemcpyHtoD_v2(reinterpret_cast<Address>(to), from, bytes);
}
Status hipMemcpyDtoH(void* to, void* from, std::size_t bytes) {
    return cuMemcpyDtoH_v2(to, reinterpret_cast<Address>(from), bytes);
}
Status hipMemcpyHtoDAsync(void* to, void* from, std::size_t bytes, Stream stream) {
    return cuMemcpyHtoDAsync_v2(reinterpret_cast<Address>(to), from, bytes, stream);
}
Status hipMemcpyDtoHAsync(void* to, void* from, std::size_t bytes, Stream stream) {
    return cuMemcpyDtoHAsync_v2(to, reinterpret_cast<Address>(from), bytes, stream);
}
Status hipMemsetD8(void* to, unsigned char value, std::size_t bytes) {
    return cuMemsetD8_v2(reinterpret_cast<Address>(to), value, bytes);
}
Status hipStreamCreateWithFlags(Stream* stream, unsigned flags) {
    return cuStreamCreate(stream, flags);
}
Status hipStreamDestroy(Stream stream) {
    return cuStreamDestroy_v2(stream);
}
/// Packed parameters end as HIP's do.
Status hipModuleLaunchKernel(Function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                             unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                             Stream stream, void** arguments, void** extra) {
    if (extra != nullptr && extra[4] != reinterpret_cast<void*>(3)) return Status::InvalidValue;
    return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared,
                          stream, arguments, extra);
}
Status hipEventCreateWithFlags(Event* event, unsigned flags) {
    return cuEventCreate(event, flags);
}
Status hipEventRecord(Event event, Stream stream) {
    return cuEventRecord(event, stream);
}
Status hipEventQuery(Event event) {
    return cuEventQuery(event);
}
Status hipEventElapsedTime(float* milliseconds, Event from, Event to) {
    return cuEventElapsedTime(milliseconds, from, to);
}
Status hipEventDestroy(Event event) {
    return cuEventDestroy_v2(event);
}

} // extern "C"
