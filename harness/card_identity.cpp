#include "harness/card_identity.hpp"

#include <fmt/format.h>

namespace warpbound::harness {

bool is_card(std::string_view device) {
    return device.starts_with(card_prefix);
}

std::string card_detail(std::string_view name, assembly::Target target, std::string_view driver) {
    return fmt::format("{}, {}, CUDA driver {}", name, to_string(target), driver);
}

Result<assembly::Target> target_of_card(const DeviceIdentity& identity) {
    // Search from the end: the card's name may contain any text.
    const std::size_t at = identity.detail.rfind(", sm_");
    if (is_card(identity.name) && at != std::string::npos) {
        const std::string rest = identity.detail.substr(at + 2);
        if (const auto target = assembly::parse_target(rest.substr(0, rest.find(','))))
            return *target;
    }
    return Failure{fmt::format("'{}' names no card and its target; expected one as '{}'",
                               identity.detail, card_detail("Tesla T4", {75}, "13.0")),
                   identity.name};
}

} // namespace warpbound::harness
