#include "harness/devices/cuda/device_state.hpp"

#include "harness/devices/cuda/board_state.hpp"
#include "harness/devices/cuda/shared_library.hpp"
#include "harness/devices/hip/amdgpu_state.hpp"

#include <fmt/format.h>

#include <array>

namespace warpbound::harness::cuda {

namespace {

/// Reasons for which a device lowers its clock below the requested one. Idle clocks and
/// user-defined clocks are not among them. Source: NVML API reference, nvmlClocksEventReasons.
struct Reason {
    unsigned long long bit;
    const char* text;
};
constexpr std::array<Reason, 5> lowering{{{0x4, "power cap"},
                                          {0x8, "hardware slowdown"},
                                          {0x20, "thermal limit (software)"},
                                          {0x40, "thermal limit (hardware)"},
                                          {0x80, "power brake"}}};

std::string text_of(unsigned long long reasons) {
    std::string text;
    for (const auto& reason : lowering)
        if ((reasons & reason.bit) != 0)
            text += (text.empty() ? "" : ", ") + std::string{reason.text};
    return text;
}

constexpr std::array<const char*, 1> nvml_names{"libnvidia-ml.so.1"};

/// The name of the first function that the library lacks; empty: it has all.
std::string find_nvml_functions(const SharedLibrary& library, NvmlFunctions& functions) {
    std::string missing;
    const auto find = [&](const char* name, auto& function) {
        if (missing.empty() && !library.find(std::string{"nvml"} + name, function))
            missing = std::string{"nvml"} + name;
    };
    find("Init_v2", functions.Init_v2);
    find("ErrorString", functions.ErrorString);
    find("DeviceGetHandleByPciBusId_v2", functions.DeviceGetHandleByPciBusId_v2);
    find("DeviceGetTemperature", functions.DeviceGetTemperature);
    find("DeviceGetPerformanceState", functions.DeviceGetPerformanceState);
    find("DeviceGetClockInfo", functions.DeviceGetClockInfo);
    find("DeviceGetCurrentClocksThrottleReasons", functions.DeviceGetCurrentClocksThrottleReasons);
    find("DeviceGetMigMode", functions.DeviceGetMigMode);
    return missing;
}

} // namespace

DeviceState::DeviceState(const DeviceDescription& device) {
    if (is_amd(device.target)) {
        amd_bus_id_ = device.bus_id;
        return;
    }
    const auto library = SharedLibrary::open("WARPBOUND_NVML", nvml_names);
    if (!library) {
        unknown_ = "NVML cannot be loaded: " + library.error().what;
        return;
    }
    if (const auto missing = find_nvml_functions(library.value(), functions_); !missing.empty()) {
        unknown_ = "NVML lacks " + missing;
        return;
    }
    NvmlStatus status = functions_.Init_v2();
    if (status == NvmlStatus::Success)
        status = functions_.DeviceGetHandleByPciBusId_v2(device.bus_id.c_str(), &device_);
    if (status == NvmlStatus::Success) return;
    device_ = nullptr;
    unknown_ = fmt::format("NVML: {}", functions_.ErrorString(status));
}

Conditions DeviceState::conditions() const {
    if (!amd_bus_id_.empty()) return hip::amdgpu_state(board_root(), amd_bus_id_);
    Conditions conditions;
    const auto add = [&](const char* name, auto read, auto text) {
        if (device_ == nullptr) {
            conditions.emplace_back(name, "unknown: " + unknown_);
            return;
        }
        const NvmlStatus status = read();
        conditions.emplace_back(name,
                                status == NvmlStatus::Success
                                    ? text()
                                    : fmt::format("unknown: {}", functions_.ErrorString(status)));
    };
    unsigned value = 0;
    unsigned pending = 0;
    int state = 0;
    unsigned long long reasons = 0;
    const auto megahertz = [&] { return fmt::format("{} MHz", value); };
    add(
        "clock",
        [&] { return functions_.DeviceGetClockInfo(device_, NvmlClock::Multiprocessor, &value); },
        megahertz);
    add(
        "memory-clock",
        [&] { return functions_.DeviceGetClockInfo(device_, NvmlClock::Memory, &value); },
        megahertz);
    add(
        "temperature",
        [&] { return functions_.DeviceGetTemperature(device_, NvmlSensor::Gpu, &value); },
        [&] { return fmt::format("{} C", value); });
    add(
        "power-state", [&] { return functions_.DeviceGetPerformanceState(device_, &state); },
        [&] {
            constexpr int unknown = 32; // NVML_PSTATE_UNKNOWN
            return state == unknown ? "unknown: NVML does not know" : fmt::format("P{}", state);
        });
    add(
        "throttled",
        [&] { return functions_.DeviceGetCurrentClocksThrottleReasons(device_, &reasons); },
        [&] {
            const std::string text = text_of(reasons);
            return text.empty() ? "no" : text;
        });
    add(
        "mig", [&] { return functions_.DeviceGetMigMode(device_, &value, &pending); },
        [&] { return std::string{value != 0 ? "on" : "off"}; });
    return conditions;
}

std::optional<std::string> DeviceState::throttled() const {
    unsigned long long reasons = 0;
    if (device_ == nullptr ||
        functions_.DeviceGetCurrentClocksThrottleReasons(device_, &reasons) != NvmlStatus::Success)
        return std::nullopt;
    std::string text = text_of(reasons);
    if (text.empty()) return std::nullopt;
    return text;
}

} // namespace warpbound::harness::cuda
