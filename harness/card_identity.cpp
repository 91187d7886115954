#include "harness/card_identity.hpp"

#include "assembly/amd/processor.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace warpbound::harness {

namespace {

/// Where ", sm_75" or ", gfx90a" begins. From the end: the card's name may contain any text.
std::size_t place_of_target(std::string_view detail) {
    const std::size_t nvidia = detail.rfind(", sm_");
    return nvidia != std::string_view::npos ? nvidia : detail.rfind(", gfx");
}

} // namespace

bool is_card(std::string_view device) {
    return device.starts_with(card_prefix) || device.starts_with(amd_card_prefix);
}

std::string card_detail(std::string_view name, assembly::Target target, std::string_view driver) {
    return fmt::format("{}, {}, {} {}", name, to_string(target),
                       is_amd(target) ? "HIP runtime" : "CUDA driver", driver);
}

std::string_view name_in_detail(std::string_view detail) {
    return detail.substr(0, place_of_target(detail));
}

Result<assembly::Target> target_of_card(const DeviceIdentity& identity) {
    const std::size_t at = place_of_target(identity.detail);
    if (is_card(identity.name) && at != std::string::npos) {
        const std::string rest = identity.detail.substr(at + 2);
        const std::string target = rest.substr(0, rest.find(','));
        if (const auto known = assembly::parse_target(target)) return *known;
        if (const auto known = assembly::amd::parse_processor(target)) return *known;
    }
    return Failure{fmt::format("'{}' names no card and its target; expected one as '{}'",
                               identity.detail, card_detail("Tesla T4", {75}, "13.0")),
                   identity.name};
}

} // namespace warpbound::harness
