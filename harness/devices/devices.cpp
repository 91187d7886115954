#include "harness/card_identity.hpp"
#include "harness/device.hpp"
#include "harness/devices/cuda/cuda_device.hpp"
#include "harness/devices/cuda/session.hpp"
#include "harness/devices/recorded.hpp"
#include "harness/devices/simulated.hpp"
#include "models/architecture/library.hpp"

#include <fmt/format.h>

#include <string>

namespace warpbound::harness {

namespace {

constexpr std::string_view simulated_prefix = "simulated:";
constexpr std::string_view recorded_prefix = "recorded:";

Result<std::unique_ptr<Device>> open_card(std::string_view name) {
    const auto card = cuda::read_card_name(name);
    if (!card) return card.as_failure();
    return cuda::open_cuda_device(cuda::Driver::load(card.value().interface), card.value().ordinal,
                                  card.value().time_out);
}

void add_cards(cuda::Interface interface, std::vector<DeviceEntry>& devices) {
    const auto driver = cuda::Driver::load(interface);
    const std::string_view prefix = cuda::card_prefix_of(interface);
    const std::string_view units = interface == cuda::Interface::Cuda ? "SMs" : "CUs";
    if (driver->state() != cuda::DriverState::Ready)
        devices.push_back({fmt::format("{}<n>", prefix), false, driver->text()});
    for (int i = 0; driver->state() == cuda::DriverState::Ready && i < driver->devices(); ++i) {
        const auto device = driver->describe(i);
        devices.push_back({fmt::format("{}{}", prefix, i), device.has_value(),
                           device
                               ? fmt::format("{}, {}, {} {}, {}", device.value().name,
                                             to_string(device.value().target),
                                             device.value().multiprocessors, units, driver->text())
                               : device.error().what});
    }
}

} // namespace

std::string_view to_string(Draw draw) {
    switch (draw) {
    case Draw::Uniform:
        return "uniform";
    case Draw::Extremes:
        return "extremes";
    case Draw::AllLow:
        return "all-low";
    case Draw::Typical:
        return "typical";
    case Draw::AllHigh:
        return "all-high";
    case Draw::Adversarial:
        break;
    }
    return "adversarial";
}

std::optional<Draw> find_draw(std::string_view name) {
    for (const Draw draw : {Draw::Uniform, Draw::Extremes, Draw::AllLow, Draw::AllHigh,
                            Draw::Typical, Draw::Adversarial})
        if (to_string(draw) == name) return draw;
    return std::nullopt;
}

Result<void> copy_supports(Quantity quantity) {
    if (quantity == Quantity::ExecutionTime) return boost::outcome_v2::success();
    return Failure{fmt::format("a copy has an execution time and no {}", to_string(quantity)),
                   "copy"};
}

Result<models::Architecture> Device::machine() const {
    return Failure{"the device does not report its machine", identity().name};
}

Result<std::unique_ptr<Device>> open_device(std::string_view name, std::string_view policy,
                                            std::int64_t multiprocessors) {
    const bool card = is_card(name);
    const bool recorded = name.substr(0, recorded_prefix.size()) == recorded_prefix;
    if ((card || recorded) && (policy != "lrr" || multiprocessors != 1))
        return Failure{fmt::format("the warp policy and the number of SMs of a {} are fixed; only "
                                   "simulated devices take others",
                                   card ? "card" : "recording"),
                       std::string{name}};
    if (card) return open_card(name);
    if (recorded) return recorded_device(name.substr(recorded_prefix.size()));
    if (name.substr(0, simulated_prefix.size()) != simulated_prefix)
        return Failure{"unknown device type; expected simulated:<architecture>, cuda:<n>, "
                       "hip:<n> or recorded:<file>",
                       std::string{name}, 0, 0};
    const auto chosen = models::read_policy(policy);
    if (!chosen) return chosen.as_failure();
    auto architecture = models::load_architecture(name.substr(simulated_prefix.size()));
    if (!architecture) return architecture.as_failure();
    return simulated_device(std::move(architecture.value()), chosen.value(), multiprocessors);
}

std::vector<DeviceEntry> list_devices() {
    std::vector<DeviceEntry> devices;
    for (const models::ArchitectureEntry& entry : models::list_architectures()) {
        const auto architecture = models::load_architecture(entry);
        devices.push_back(DeviceEntry{.name = fmt::format("{}{}", simulated_prefix, entry.name),
                                      .available = architecture.has_value(),
                                      .detail = architecture ? architecture.value().title
                                                             : architecture.error().what});
    }
    add_cards(cuda::Interface::Cuda, devices);
    add_cards(cuda::Interface::Hip, devices);
    devices.push_back({fmt::format("{}<file>", recorded_prefix), true,
                       "the runs of a campaign, or of its CSV or JSON"});
    return devices;
}

} // namespace warpbound::harness
