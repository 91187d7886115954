#include "harness/devices/cuda/driver.hpp"

#include "assembly/amd/processor.hpp"
#include "harness/devices/cuda/shared_library.hpp"
#include "harness/devices/hip/runtime.hpp"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>

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

constexpr std::array<const char*, 1> cuda_names{"libcuda.so.1"};
constexpr std::array<const char*, 4> hip_names{"libamdhip64.so.7", "libamdhip64.so.6",
                                               "libamdhip64.so.5", "libamdhip64.so"};

} // namespace

std::string_view card_prefix_of(Interface of) {
    return of == Interface::Cuda ? "cuda:" : "hip:";
}

std::string_view Driver::title() const {
    return interface_ == Interface::Cuda ? "CUDA driver" : "HIP runtime";
}

std::string_view Driver::name_of(std::string_view cuda_name) const {
    if (interface_ == Interface::Cuda) return cuda_name;
    const std::string_view name = hip::name_of_function(cuda_name);
    return name.empty() ? cuda_name : name;
}

std::shared_ptr<const Driver> Driver::load(Interface of) {
    auto driver = std::make_shared<Driver>(of);
    const bool is_cuda = of == Interface::Cuda;
    const auto library = is_cuda ? SharedLibrary::open("WARPBOUND_CUDA_DRIVER", cuda_names)
                                 : SharedLibrary::open("WARPBOUND_HIP_RUNTIME", hip_names);
    if (!library) {
        driver->text_ =
            fmt::format("no {} is installed: {}", driver->title(), library.error().what);
        return driver;
    }
    const auto missing =
        is_cuda ? find_driver_functions(library.value(), driver->functions_)
                : hip::find_functions(library.value(), driver->functions_, driver->hip_);
    if (!missing.empty()) {
        driver->state_ = DriverState::Incomplete;
        driver->text_ =
            fmt::format("the {} {} lacks {}; expected that of {} or later", driver->title(),
                        library.value().name(), missing, is_cuda ? "CUDA 11" : "ROCm 5");
        return driver;
    }
    driver->start();
    return driver;
}

bool Driver::says_no_device(Status status) const {
    // Where there is no card, hipInit of HIP 5 says that the device is invalid.
    return status == Status::NoDevice ||
           (interface_ == Interface::Hip && status == Status::InvalidDevice);
}

void Driver::start() {
    const Status started = functions_.Init(0);
    if (started == Status::StubLibrary) {
        state_ = DriverState::Stub;
        text_ = fmt::format("the {} that was found is the toolkit's stub for linking: {}", title(),
                            message(started));
        return;
    }
    const auto no_device = [this](Status status) {
        state_ = DriverState::NoDevice;
        text_ = fmt::format("the {} knows no device: {}", title(), message(status));
    };
    if (says_no_device(started)) return no_device(started);
    int version = 0;
    const bool is_cuda = interface_ == Interface::Cuda;
    if (started == Status::Success &&
        (is_cuda ? functions_.DriverGetVersion : hip_.RuntimeGetVersion)(&version) ==
            Status::Success)
        version_ = is_cuda ? fmt::format("{}.{}", version / 1000, version % 1000 / 10)
                           : hip::version_text(version);
    const Status counted =
        started == Status::Success ? functions_.DeviceGetCount(&devices_) : started;
    if (!is_cuda && says_no_device(counted)) return no_device(counted);
    if (counted != Status::Success) {
        state_ = DriverState::InitFailure;
        text_ = fmt::format("the {} does not start: {}", title(), message(counted));
        return;
    }
    state_ = devices_ > 0 ? DriverState::Ready : DriverState::NoDevice;
    text_ = devices_ > 0 ? fmt::format("{} {}", title(), version_)
                         : fmt::format("the {} {} knows no device", title(), version_);
}

std::string Driver::message(Status status) const {
    const char* name = nullptr;
    const char* text = nullptr;
    if (interface_ == Interface::Hip) {
        name = hip_.GetErrorName(status);
        text = hip_.GetErrorString(status);
    } else if (functions_.GetErrorName(status, &name) != Status::Success ||
               functions_.GetErrorString(status, &text) != Status::Success) {
        text = nullptr;
    }
    if (name == nullptr)
        return fmt::format("{} error {}", interface_ == Interface::Cuda ? "CUDA" : "HIP",
                           static_cast<int>(status));
    if (text == nullptr) return name;
    return fmt::format("{}: {}", name, text);
}

Status Driver::bind(Context context, DeviceNumber device) const {
    return interface_ == Interface::Cuda ? functions_.CtxSetCurrent(context)
                                         : hip_.SetDevice(device);
}

Status Driver::retain(Context* context, DeviceNumber device) const {
    return interface_ == Interface::Cuda ? functions_.DevicePrimaryCtxRetain(context, device)
                                         : hip_.SetDevice(device);
}

void Driver::release(DeviceNumber device) const {
    if (interface_ == Interface::Cuda) functions_.DevicePrimaryCtxRelease_v2(device);
}

void* Driver::launch_parameters_end() const {
    return interface_ == Interface::Cuda ? nullptr : hip::launch_parameters_end;
}

Result<DeviceDescription> Driver::describe(int ordinal) const {
    const std::string_view prefix = card_prefix_of(interface_);
    const std::string device = fmt::format("{}{}", prefix, ordinal);
    if (state_ != DriverState::Ready) return Failure{text_, device};
    if (ordinal < 0 || ordinal >= devices_)
        return Failure{fmt::format("there is no such device; the driver knows {0}0 to {0}{1}",
                                   prefix, devices_ - 1),
                       device};
    return interface_ == Interface::Cuda ? describe_cuda(ordinal, device)
                                         : describe_hip(ordinal, device);
}

Result<DeviceDescription> Driver::describe_hip(int ordinal, const std::string& device) const {
    DeviceDescription of;
    hip::DeviceProperties properties;
    Status status = functions_.DeviceGet(&of.number, ordinal);
    if (status == Status::Success) status = hip_.GetDeviceProperties(&properties, of.number);
    if (status != Status::Success) return Failure{message(status), device};
    properties.name.back() = properties.gcn_architecture_name.back() = '\0';
    of.name = properties.name.data();
    const std::string_view processor = properties.gcn_architecture_name.data();
    const auto target = assembly::amd::parse_processor(processor);
    if (!target)
        return Failure{fmt::format("its processor '{}' is none of those that are known: {}",
                                   processor, assembly::amd::list_of_processors()),
                       device};
    of.target = *target;
    if (properties.lanes != 32 && properties.lanes != 64)
        return Failure{fmt::format("the runtime says that its wavefronts have {} lanes; expected "
                                   "32 or 64",
                                   properties.lanes),
                       device};
    of.lanes = properties.lanes;
    of.multiprocessors = properties.multiprocessors;
    of.l2_bytes = properties.l2_bytes;
    of.shared_bytes = static_cast<int>(properties.shared_memory_per_block);
    of.most_shared_bytes = of.shared_bytes;
    int kilohertz = 0;
    constexpr int usual_kilohertz = 100'000; // Of s_memrealtime on most cards.
    of.timer_rate_is_assumed =
        hip_.DeviceGetAttribute(&kilohertz, hip::DeviceAttribute::WallClockRate, of.number) !=
            Status::Success ||
        kilohertz <= 0;
    of.timer_rate = 1e3 * (of.timer_rate_is_assumed ? usual_kilohertz : kilohertz);
    of.bus_id = bus_id_of(of.number);
    return of;
}

std::string Driver::bus_id_of(DeviceNumber device) const {
    std::array<char, 256> text{};
    return functions_.DeviceGetPCIBusId(text.data(), static_cast<int>(text.size()) - 1, device) ==
                   Status::Success
               ? text.data()
               : "";
}

Result<DeviceDescription> Driver::describe_cuda(int ordinal, const std::string& device) const {
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
    of.bus_id = bus_id_of(of.number);
    return of;
}

} // namespace warpbound::harness::cuda
