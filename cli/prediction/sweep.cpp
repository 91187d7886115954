#include "cli/prediction/sweep.hpp"

#include "models/architecture/value_path.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace warpbound::cli {

namespace {

namespace prediction = models::prediction;

constexpr double most_values = 10'000;
constexpr std::string_view of_architecture = "architecture:";

std::optional<double> parse_number(std::string_view text) {
    double value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc{} || read.ptr != text.data() + text.size() || !std::isfinite(value))
        return std::nullopt;
    return value;
}

/// A whole number from least to most.
Result<std::int64_t> whole(std::string_view name, double value, double least, double most) {
    if (value != std::floor(value) || value < least || value > most)
        return Failure{fmt::format("{} is {}; expected a whole number from {:.0f} to {:.0f}", name,
                                   value, least, most)};
    return static_cast<std::int64_t>(value);
}

} // namespace

const char* const setting_names =
    "warps (resident on one SM), launch.threads, launch.blocks, architecture:PATH such as "
    "architecture:memories/dram/latency, or a parameter of a formula";

Result<void> apply_value(prediction::Setting& setting, std::string_view name, double value) {
    if (name == "warps") {
        const auto warps = whole(name, value, 1, 1 << 20);
        if (!warps) return warps.as_failure();
        setting.warps = warps.value();
        return boost::outcome_v2::success();
    }
    if (name == "launch.threads" || name == "launch.blocks") {
        const bool threads = name == "launch.threads";
        const auto count = whole(name, value, 1, threads ? 1024 : 1e9);
        if (!count) return count.as_failure();
        (threads ? setting.launch.threads : setting.launch.blocks) = count.value();
        return boost::outcome_v2::success();
    }
    if (name.starts_with(of_architecture)) {
        const auto number = whole(name, value, 0, 1e12);
        if (!number) return number.as_failure();
        return models::override_value(setting.architecture, name.substr(of_architecture.size()),
                                      number.value());
    }
    if (prediction::find_rule(name) == nullptr) {
        std::string names;
        for (const auto& rule : prediction::stated_rules())
            names += fmt::format(" {}", rule.name);
        return Failure{
            fmt::format("'{}' cannot be set; expected {}:{}", name, setting_names, names)};
    }
    return setting.stated.set(name, value);
}

Result<void> apply_assignment(prediction::Setting& setting, const std::string& text) {
    const auto equals = text.find('=');
    const auto value = equals == std::string::npos
                           ? std::nullopt
                           : parse_number(std::string_view{text}.substr(equals + 1));
    if (!value)
        return Failure{fmt::format("'{}'; expected NAME=NUMBER like l1-miss-rate=0.5", text),
                       "--set"};
    auto applied = apply_value(setting, std::string_view{text}.substr(0, equals), *value);
    if (applied) return applied;
    Failure failure = applied.error();
    failure.where = "--set";
    return failure;
}

Result<Sweep> read_sweep(const std::string& text) {
    const Failure malformed{
        fmt::format("'{}'; expected NAME=LO:HI or NAME=LO:HI:STEP like warps=1:48", text),
        "--sweep"};
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) return malformed;
    std::vector<double> numbers;
    for (std::size_t at = equals + 1; at <= text.size();) {
        const auto end = std::min(text.find(':', at), text.size());
        const auto number = parse_number(std::string_view{text}.substr(at, end - at));
        if (!number) return malformed;
        numbers.push_back(*number);
        at = end + 1;
    }
    if (numbers.size() < 2 || numbers.size() > 3) return malformed;
    const double step = numbers.size() == 3 ? numbers[2] : 1;
    if (numbers[0] > numbers[1] || step <= 0)
        return Failure{
            fmt::format("'{}' goes from {} to {} by {}; expected LO <= HI and a positive "
                        "step",
                        text, numbers[0], numbers[1], step),
            "--sweep"};
    const double count = std::floor((numbers[1] - numbers[0]) / step + 1e-9) + 1;
    if (count > most_values)
        return Failure{fmt::format("'{}' has {:.0f} values; expected at most {:.0f}", text, count,
                                   most_values),
                       "--sweep"};
    Sweep sweep{.name = text.substr(0, equals), .values = {}};
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(count); ++k)
        sweep.values.push_back(numbers[0] + static_cast<double>(k) * step);
    return sweep;
}

} // namespace warpbound::cli
