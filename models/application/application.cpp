#include "models/application/application.hpp"

#include "models/xml/xml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::models::application {

std::string_view to_string(Basis basis) {
    constexpr std::array<std::string_view, 3> names{"estimate", "measured", "bounds"};
    return names.at(static_cast<std::size_t>(basis));
}

std::string_view to_string(LinkScope scope) {
    constexpr std::array<std::string_view, 4> names{"device", "host", "pair", "cluster"};
    return names.at(static_cast<std::size_t>(scope));
}

std::string_view to_string(KernelSource source) {
    constexpr std::array<std::string_view, 5> names{"stated", "volkov", "formula", "code",
                                                    "campaign"};
    return names.at(static_cast<std::size_t>(source));
}

Result<void> set_parameter(Application& application, std::string_view name, const Rational& value) {
    const auto found = std::ranges::find(application.parameters, name, &Parameter::name);
    if (found != application.parameters.end()) {
        found->value = value;
        return boost::outcome_v2::success();
    }
    std::vector<std::string_view> names;
    for (const Parameter& parameter : application.parameters)
        names.push_back(parameter.name);
    return Failure{fmt::format("there is no parameter '{}'; expected {}", name,
                               names.empty() ? "none: the file declares none" : one_of(names))};
}

} // namespace warpbound::models::application
