#include "models/time/clock.hpp"

#include "models/time/scaled_number.hpp"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <stdexcept>

namespace warpbound::models {
namespace {

__extension__ using Product = __int128;

constexpr std::int64_t hertz_per_kilohertz = 1000;
constexpr std::int64_t lowest_clock = 1'000'000;
constexpr std::int64_t highest_clock = 10'000'000'000;
constexpr std::array<DecimalUnit, 8> frequency_units{
    {{"Hz", 0}, {"kHz", 3}, {"MHz", 6}, {"GHz", 9}, {"hz", 0}, {"khz", 3}, {"mhz", 6}, {"ghz", 9}}};

Failure no_clock(std::string_view text, std::string_view why) {
    return Failure{fmt::format("'{}' is no clock: {}; expected a frequency or a range, as in "
                               "1590MHz, 1.59GHz or 1350..1590MHz",
                               text, why)};
}

std::string_view defect_of(NumberDefect defect, std::string_view number) {
    switch (defect) {
    case NumberDefect::UnknownUnit:
        return begin_of_unit(number) == number.size() ? "it has no unit" : "unknown unit";
    case NumberDefect::NotWhole:
        return "parts of a hertz are not counted";
    case NumberDefect::TooLarge:
        return "no GPU has a clock above 10 GHz";
    case NumberDefect::NotANumber:
        break;
    }
    return "no number";
}

/// `Unit:` Hz. `whole`: the text that a refusal names.
Result<std::int64_t> parse_frequency(std::string_view text, std::string_view whole) {
    const auto number = read_scaled(text, frequency_units);
    if (number.defect) return no_clock(whole, defect_of(*number.defect, text));
    if (number.value < lowest_clock) return no_clock(whole, "no GPU has a clock below 1 MHz");
    if (number.value > highest_clock) return no_clock(whole, "no GPU has a clock above 10 GHz");
    return number.value;
}

/// In kHz, MHz or GHz without a fraction where that is possible, but 1590 MHz and not 1.59 GHz.
struct FrequencyUnit {
    const char* name;
    std::int64_t size;
};
constexpr std::array<FrequencyUnit, 3> shown_frequencies{
    {{"MHz", 1'000'000}, {"kHz", 1000}, {"Hz", 1}}};

/// Cycles at a frequency. Rounded down; `up`: up.
Nanoseconds at_frequency(Cycles cycles, std::int64_t hertz, bool up) {
    if (hertz < 1) throw std::logic_error{"a clock below 1 Hz"};
    constexpr Product nanoseconds = 1'000'000'000;
    const Product product = cycles.count() * nanoseconds;
    const Product rest = product % hertz; // With the sign of the cycles.
    Product time = product / hertz;
    if (up && rest > 0) ++time;
    if (!up && rest < 0) --time;
    if (time > std::numeric_limits<std::int64_t>::max() ||
        time < std::numeric_limits<std::int64_t>::min())
        throw std::overflow_error{"a time of 2^63 ns or more"};
    return Nanoseconds{static_cast<std::int64_t>(time)};
}

} // namespace

Result<ClockRange> parse_clock(std::string_view text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) {
        const auto frequency = parse_frequency(text, text);
        if (!frequency) return frequency.as_failure();
        return ClockRange{.lo = frequency.value(), .hi = frequency.value()};
    }
    std::string low{text.substr(0, dots)};
    const std::string_view high = text.substr(dots + 2);
    // A lower end without a unit has that of the upper end.
    if (begin_of_unit(low) == low.size()) low += high.substr(begin_of_unit(high));
    const auto lo = parse_frequency(low, text);
    if (!lo) return lo.as_failure();
    const auto hi = parse_frequency(high, text);
    if (!hi) return hi.as_failure();
    if (lo.value() > hi.value()) return no_clock(text, "its lower end is above its upper end");
    return ClockRange{.lo = lo.value(), .hi = hi.value()};
}

std::string to_string(const ClockRange& clock) {
    for (const auto& [name, size] : shown_frequencies) {
        if (clock.lo % size != 0 || clock.hi % size != 0) continue;
        return clock.is_exact() ? fmt::format("{} {}", clock.lo / size, name)
                                : fmt::format("{}..{} {}", clock.lo / size, clock.hi / size, name);
    }
    return {};
}

Nanoseconds longest_time(Cycles cycles, const ClockRange& clock) {
    return at_frequency(cycles, clock.lo, true);
}

Nanoseconds shortest_time(Cycles cycles, const ClockRange& clock) {
    return at_frequency(cycles, clock.hi, false);
}

Bounds<Nanoseconds> time_of(const Bounds<Cycles>& cycles, const ClockRange& clock) {
    return {shortest_time(cycles.lower(), clock), longest_time(cycles.upper(), clock)};
}

Clock stated_clock(const ClockRange& range) {
    const std::string sentence =
        range.is_exact()
            ? fmt::format("The core clock is {} throughout the launch.", to_string(range))
            : fmt::format("The core clock stays within {} throughout the launch.",
                          to_string(range));
    return {.range = range,
            .assumption = sentence + " Stated by the user; times in seconds rest on it.",
            .source = "stated",
            .is_stated = true};
}

std::optional<Clock> described_clock(const Architecture& architecture) {
    const SourcedValue* value = architecture.geometry.find("core-clock");
    if (value == nullptr || !value->interval) return std::nullopt;
    const Interval& kilohertz = *value->interval;
    Clock clock;
    clock.range = {.lo = times(kilohertz.lo, hertz_per_kilohertz),
                   .hi = times(kilohertz.hi, hertz_per_kilohertz)};
    clock.source = fmt::format("geometry/core-clock of {}, {}, {}", architecture.name,
                               to_string(value->grade), value->source);
    clock.assumption = fmt::format(
        "The core clock {} {} throughout the launch: {}. Times in seconds rest on it; a device "
        "that lowers its clock takes longer (state the range with --clock).",
        clock.range.is_exact() ? "is" : "stays within", to_string(clock.range), clock.source);
    return clock;
}

Result<std::optional<Clock>> clock_in_use(std::string_view stated,
                                          const Architecture& architecture) {
    if (stated.empty()) return described_clock(architecture);
    const auto range = parse_clock(stated);
    if (!range) return range.as_failure();
    return std::optional{stated_clock(range.value())};
}

} // namespace warpbound::models
