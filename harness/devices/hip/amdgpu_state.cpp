#include "harness/devices/hip/amdgpu_state.hpp"

#include "harness/devices/cuda/system_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <system_error>
#include <utility>

namespace warpbound::harness::hip {

namespace {

namespace fs = std::filesystem;

/// The folder of sensors of a device; empty: there is none.
fs::path sensors_of(const fs::path& device) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator{device / "hwmon", error})
        return entry.path();
    return {};
}

} // namespace

Conditions amdgpu_state(const fs::path& root, const std::string& bus_id) {
    // Folders of sysfs are named in lower case.
    std::string name = bus_id;
    std::transform(name.begin(), name.end(), name.begin(), [](char c) {
        return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    });
    const fs::path device = root / "sys/bus/pci/devices" / name;
    const fs::path sensors = sensors_of(device);
    Conditions state;
    const auto add = [&](const char* condition, std::optional<std::string> text) {
        if (text) state.emplace_back(condition, std::move(*text));
    };
    if (!sensors.empty()) {
        add("clock", cuda::frequency_text(cuda::number_in(sensors / "freq1_input")));
        add("memory-clock", cuda::frequency_text(cuda::number_in(sensors / "freq2_input")));
        constexpr int of_degree = 1000;
        if (const auto celsius = cuda::number_in(sensors / "temp1_input"))
            add("temperature", fmt::format("{} C", *celsius / of_degree));
    }
    add("performance-level", cuda::first_line(device / "power_dpm_force_performance_level"));
    return state;
}

} // namespace warpbound::harness::hip
