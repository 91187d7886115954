#include "harness/devices/cuda/driver.hpp"

#include "harness/devices/cuda/shared_library.hpp"

#include <fmt/format.h>

#include <array>

namespace warpbound::harness::cuda {

namespace {

/// The name of the first function that the library lacks; empty: it has all.
std::string find_driver_functions(const SharedLibrary& library, DriverFunctions& functions) {
    std::string missing;
    const auto find = [&](const char* name, auto& function) {
        if (missing.empty() && !library.find(std::string{"cu"} + name, function))
            missing = std::string{"cu"} + name;
    };
    find("Init", functions.Init);
    find("DriverGetVersion", functions.DriverGetVersion);
    find("GetErrorName", functions.GetErrorName);
    find("GetErrorString", functions.GetErrorString);
    find("DeviceGetCount", functions.DeviceGetCount);
    find("DeviceGet", functions.DeviceGet);
    find("DeviceGetName", functions.DeviceGetName);
    find("DeviceGetPCIBusId", functions.DeviceGetPCIBusId);
    find("DeviceGetAttribute", functions.DeviceGetAttribute);
    find("DevicePrimaryCtxRetain", functions.DevicePrimaryCtxRetain);
    find("DevicePrimaryCtxRelease_v2", functions.DevicePrimaryCtxRelease_v2);
    find("CtxSetCurrent", functions.CtxSetCurrent);
    find("LinkCreate_v2", functions.LinkCreate_v2);
    find("LinkAddData_v2", functions.LinkAddData_v2);
    find("LinkComplete", functions.LinkComplete);
    find("LinkDestroy", functions.LinkDestroy);
    find("ModuleLoadData", functions.ModuleLoadData);
    find("ModuleUnload", functions.ModuleUnload);
    find("ModuleGetFunction", functions.ModuleGetFunction);
    find("FuncGetAttribute", functions.FuncGetAttribute);
    find("FuncSetAttribute", functions.FuncSetAttribute);
    find("MemAlloc_v2", functions.MemAlloc_v2);
    find("MemFree_v2", functions.MemFree_v2);
    find("MemAllocHost_v2", functions.MemAllocHost_v2);
    find("MemFreeHost", functions.MemFreeHost);
    find("MemcpyHtoD_v2", functions.MemcpyHtoD_v2);
    find("MemcpyDtoH_v2", functions.MemcpyDtoH_v2);
    find("MemcpyHtoDAsync_v2", functions.MemcpyHtoDAsync_v2);
    find("MemcpyDtoHAsync_v2", functions.MemcpyDtoHAsync_v2);
    find("MemsetD8_v2", functions.MemsetD8_v2);
    find("StreamCreate", functions.StreamCreate);
    find("StreamDestroy_v2", functions.StreamDestroy_v2);
    find("LaunchKernel", functions.LaunchKernel);
    find("EventCreate", functions.EventCreate);
    find("EventRecord", functions.EventRecord);
    find("EventQuery", functions.EventQuery);
    find("EventElapsedTime", functions.EventElapsedTime);
    find("EventDestroy_v2", functions.EventDestroy_v2);
    const auto find_optional = [&](const char* name, auto& function) {
        if (!library.find(name, function)) function = nullptr;
    };
    find_optional("cuCtxGetStreamPriorityRange", functions.CtxGetStreamPriorityRange);
    find_optional("cuStreamCreateWithPriority", functions.StreamCreateWithPriority);
    return missing;
}

} // namespace

std::shared_ptr<const Driver> Driver::load() {
    auto driver = std::make_shared<Driver>();
    const auto library = SharedLibrary::open("WARPBOUND_CUDA_DRIVER", "libcuda.so.1");
    if (!library) {
        driver->text_ = "no CUDA driver is installed: " + library.error().what;
        return driver;
    }
    if (const auto missing = find_driver_functions(library.value(), driver->functions_);
        !missing.empty()) {
        driver->state_ = DriverState::Incomplete;
        driver->text_ =
            fmt::format("the CUDA driver {} lacks {}; expected that of CUDA 11 or later",
                        library.value().name(), missing);
        return driver;
    }
    driver->start();
    return driver;
}

void Driver::start() {
    const Status started = functions_.Init(0);
    if (started == Status::StubLibrary) {
        state_ = DriverState::Stub;
        text_ =
            "the CUDA driver that was found is the toolkit's stub for linking: " + message(started);
        return;
    }
    if (started == Status::NoDevice) {
        state_ = DriverState::NoDevice;
        text_ = "the CUDA driver knows no device: " + message(started);
        return;
    }
    int version = 0;
    if (started == Status::Success && functions_.DriverGetVersion(&version) == Status::Success)
        version_ = fmt::format("{}.{}", version / 1000, version % 1000 / 10);
    const Status counted =
        started == Status::Success ? functions_.DeviceGetCount(&devices_) : started;
    if (counted != Status::Success) {
        state_ = DriverState::InitFailure;
        text_ = "the CUDA driver does not start: " + message(counted);
        return;
    }
    state_ = devices_ > 0 ? DriverState::Ready : DriverState::NoDevice;
    text_ = devices_ > 0 ? "CUDA driver " + version_
                         : fmt::format("the CUDA driver {} knows no device", version_);
}

std::string Driver::message(Status status) const {
    const char* name = nullptr;
    const char* text = nullptr;
    if (functions_.GetErrorName(status, &name) != Status::Success || name == nullptr)
        return fmt::format("CUDA error {}", static_cast<int>(status));
    if (functions_.GetErrorString(status, &text) != Status::Success || text == nullptr) return name;
    return fmt::format("{}: {}", name, text);
}

Result<DeviceDescription> Driver::describe(int ordinal) const {
    const std::string device = fmt::format("cuda:{}", ordinal);
    if (state_ != DriverState::Ready) return Failure{text_, device};
    if (ordinal < 0 || ordinal >= devices_)
        return Failure{fmt::format("there is no such device; the driver knows cuda:0 to cuda:{}",
                                   devices_ - 1),
                       device};
    DeviceDescription of;
    Status status = functions_.DeviceGet(&of.number, ordinal);
    const auto value = [&](DeviceAttribute attribute) {
        int read = 0;
        if (status == Status::Success)
            status = functions_.DeviceGetAttribute(&read, attribute, of.number);
        return read;
    };
    std::array<char, 256> text{};
    if (status == Status::Success)
        status =
            functions_.DeviceGetName(text.data(), static_cast<int>(text.size()) - 1, of.number);
    of.name = text.data();
    const int major = value(DeviceAttribute::ComputeCapabilityMajor);
    of.target.sm = 10 * major + value(DeviceAttribute::ComputeCapabilityMinor);
    of.multiprocessors = value(DeviceAttribute::MultiprocessorCount);
    of.l2_bytes = value(DeviceAttribute::L2CacheSize);
    of.shared_bytes = value(DeviceAttribute::MaxSharedMemoryPerBlock);
    of.most_shared_bytes = value(DeviceAttribute::MaxSharedMemoryPerBlockOptin);
    if (status != Status::Success) return Failure{message(status), device};
    int ecc = 0;
    if (functions_.DeviceGetAttribute(&ecc, DeviceAttribute::EccEnabled, of.number) ==
        Status::Success)
        of.ecc = ecc != 0;
    text.fill('\0');
    if (functions_.DeviceGetPCIBusId(text.data(), static_cast<int>(text.size()) - 1, of.number) ==
        Status::Success)
        of.bus_id = text.data();
    return of;
}

} // namespace warpbound::harness::cuda
