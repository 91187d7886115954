#include "harness/device.hpp"
#include "harness/devices/recorded.hpp"
#include "harness/devices/simulated.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace warpbound::harness {

namespace {

constexpr std::string_view simulated_kind = "simulated:";
constexpr std::string_view recorded_kind = "recorded:";

/// Kinds with a name but no implementation.
constexpr std::array<std::string_view, 2> missing_kinds{"cuda:<n>", "hip:<n>"};
constexpr std::string_view not_implemented = "not in this version";

} // namespace

std::string_view to_string(Draw draw) {
    switch (draw) {
    case Draw::Uniform:
        return "uniform";
    case Draw::Extremes:
        return "extremes";
    case Draw::AllLow:
        return "all-low";
    case Draw::AllHigh:
        return "all-high";
    case Draw::Adversarial:
        break;
    }
    return "adversarial";
}

Result<std::unique_ptr<Device>> open_device(std::string_view name, std::string_view policy,
                                            std::int64_t multiprocessors) {
    for (const std::string_view missing : missing_kinds) {
        const std::string_view kind = missing.substr(0, missing.find(':') + 1);
        if (name.substr(0, kind.size()) == kind)
            return Failure{fmt::format("devices {} are {}; expected simulated:<architecture> or "
                                       "recorded:<file>",
                                       missing, not_implemented),
                           std::string{name}, 0, 0};
    }
    if (name.substr(0, recorded_kind.size()) == recorded_kind)
        return recorded_device(name.substr(recorded_kind.size()));
    if (name.substr(0, simulated_kind.size()) != simulated_kind)
        return Failure{"unknown kind of device; expected simulated:<architecture>, cuda:<n>, "
                       "hip:<n> or recorded:<file>",
                       std::string{name}, 0, 0};
    const auto chosen = models::read_policy(policy);
    if (!chosen) return chosen.as_failure();
    auto architecture = models::load_architecture(name.substr(simulated_kind.size()));
    if (!architecture) return architecture.as_failure();
    return simulated_device(std::move(architecture.value()), chosen.value(), multiprocessors);
}

std::vector<DeviceEntry> list_devices() {
    std::vector<DeviceEntry> devices;
    for (const models::ArchitectureEntry& entry : models::list_architectures()) {
        const auto architecture = models::load_architecture(entry.path.string());
        devices.push_back(DeviceEntry{.name = fmt::format("{}{}", simulated_kind, entry.name),
                                      .available = architecture.has_value(),
                                      .detail = architecture ? architecture.value().title
                                                             : architecture.error().what});
    }
    devices.push_back({fmt::format("{}<file>", recorded_kind), true,
                       "the runs of a campaign, or of its CSV or JSON"});
    for (const std::string_view missing : missing_kinds)
        devices.push_back(DeviceEntry{.name = std::string{missing},
                                      .available = false,
                                      .detail = std::string{not_implemented}});
    return devices;
}

} // namespace warpbound::harness
