#include "cli/application/application_sweep.hpp"

#include "models/launch/launch.hpp"
#include "models/xml/xml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace warpbound::cli {

namespace {

using models::application::Application;
using models::application::DeviceGroup;
using models::application::Expression;
using models::application::Kernel;
using models::application::Rational;

constexpr std::size_t most_values = 1000;

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.emplace_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

/// NAME and what stands behind the sign; none without both.
std::optional<std::pair<std::string, std::string>> assignment(const std::string& text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        return std::nullopt;
    return std::pair{text.substr(0, equals), text.substr(equals + 1)};
}

Result<Rational> number_of(const std::string& text) {
    const auto read = Expression::parse(text);
    if (!read) return Failure{fmt::format("'{}': {}", text, read.error().what)};
    return read.value().value({});
}

Result<std::vector<Rational>> values_of(const std::string& text) {
    std::vector<Rational> values;
    const auto ends = split(text, ':');
    const bool is_range = ends.size() > 1;
    for (const auto& part : is_range ? ends : split(text, ',')) {
        auto number = number_of(part);
        if (!number) return number.as_failure();
        values.push_back(std::move(number).value());
    }
    if (!is_range) return values;
    const Rational step = values.size() == 3 ? values[2] : Rational{1};
    if (values.size() > 3 || step <= 0 || values[0] > values[1])
        return Failure{fmt::format("'{}'; expected LO:HI or LO:HI:STEP with LO <= HI and a "
                                   "positive step",
                                   text)};
    std::vector<Rational> all;
    for (Rational value = values[0]; value <= values[1] && all.size() <= most_values; value += step)
        all.push_back(value);
    return all;
}

template <typename Thing>
Result<std::size_t> number_of(const std::vector<Thing>& things, const std::string& name,
                              const std::string& what, const std::string& option) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < things.size(); ++i) {
        if (things[i].name == name) return i;
        names.push_back(things[i].name);
    }
    return Failure{fmt::format("there is no {} '{}'; expected {}", what, name,
                               names.empty() ? "none: the file has none" : models::one_of(names)),
                   option};
}

} // namespace

Result<void> apply_set(Application& application, const std::string& text) {
    const auto parts = assignment(text);
    if (!parts) return Failure{fmt::format("'{}'; expected NAME=NUMBER like n=4e8", text), "--set"};
    const auto value = number_of(parts->second);
    if (!value) return Failure{value.error().what, "--set"};
    auto done = set_parameter(application, parts->first, value.value());
    if (!done) return Failure{done.error().what, "--set"};
    return done;
}

Result<ApplicationAxis> parameter_axis(const Application& application, const std::string& text) {
    const auto parts = assignment(text);
    if (!parts)
        return Failure{fmt::format("'{}'; expected NAME=A,B,.. or NAME=LO:HI[:STEP] like "
                                   "devices=1,2,4",
                                   text),
                       "--sweep"};
    const auto values = values_of(parts->second);
    if (!values) return Failure{values.error().what, "--sweep"};
    if (values.value().size() > most_values)
        return Failure{fmt::format("'{}' has more than {} values", text, most_values), "--sweep"};
    const auto known = number_of(application.parameters, parts->first, "parameter", "--sweep");
    if (!known) return known.as_failure();
    ApplicationAxis axis{parts->first, {}};
    for (const Rational& value : values.value())
        axis.choices.push_back({models::application::to_string(value),
                                [number = known.value(), value](Application& changed) {
                                    changed.parameters[number].value = value;
                                }});
    return axis;
}

Result<ApplicationAxis> machine_axis(const Application& application, const std::string& text) {
    std::optional<std::size_t> only;
    std::string machines = text;
    if (const auto parts = assignment(text)) {
        const auto known = number_of(application.devices, parts->first, "device", "--device");
        if (!known) return known.as_failure();
        only = known.value();
        machines = parts->second;
    }
    ApplicationAxis axis{only ? application.devices[*only].name : "machine", {}};
    for (const std::string& machine : split(machines, ',')) {
        if (machine.empty())
            return Failure{fmt::format("'{}'; expected MACHINE,.. or DEVICE=MACHINE,..", text),
                           "--device"};
        axis.choices.push_back({machine, [only, machine](Application& changed) {
                                    for (std::size_t i = 0; i < changed.devices.size(); ++i)
                                        if (!only || *only == i)
                                            changed.devices[i].machine = machine;
                                }});
    }
    return axis;
}

Result<ApplicationAxis> launch_axis(const Application& application, const std::string& text) {
    const auto parts = assignment(text);
    if (!parts)
        return Failure{fmt::format("'{}'; expected KERNEL=GxB,.. like saxpy=1024x256", text),
                       "--launch"};
    const auto known = number_of(application.kernels, parts->first, "kernel", "--launch");
    if (!known) return known.as_failure();
    const Kernel& kernel = application.kernels[known.value()];
    if (kernel.blocks.empty())
        return Failure{
            fmt::format("kernel '{}' has no launch: its time does not depend on one", kernel.name),
            "--launch"};
    ApplicationAxis axis{kernel.name, {}};
    for (const std::string& one : split(parts->second, ',')) {
        const auto launch = models::parse_launch(one);
        if (!launch) return Failure{launch.error().what, "--launch"};
        if (models::to_string(launch.value()) != one)
            return Failure{fmt::format("'{}'; expected GxB", one), "--launch"};
        axis.choices.push_back(
            {one, [number = known.value(), launch = launch.value()](Application& changed) {
                 changed.kernels[number].blocks = {Expression::constant(launch.blocks)};
                 changed.kernels[number].threads = {Expression::constant(launch.threads)};
             }});
    }
    return axis;
}

} // namespace warpbound::cli
