#include "models/time/duration.hpp"

#include "models/time/scaled_number.hpp"

#include <fmt/format.h>

#include <array>

namespace warpbound::models {
namespace {

/// Both characters that stand for micro: the sign and the Greek letter.
constexpr std::array<DecimalUnit, 6> time_units{
    {{"s", 9}, {"ms", 6}, {"us", 3}, {"\u00b5s", 3}, {"\u03bcs", 3}, {"ns", 0}}};

struct TimeUnit {
    const char* name;
    std::int64_t size; ///< `Unit:` ns.
    int digits;        ///< Of a fraction.
};
constexpr std::array<TimeUnit, 4> shown_times{
    {{"s", 1'000'000'000, 9}, {"ms", 1'000'000, 6}, {"\u00b5s", 1000, 3}, {"ns", 1, 0}}};

/// The power of ten that leaves four digits of the number.
std::int64_t digit_step_of(std::int64_t number) {
    std::int64_t step = 1;
    for (; number >= 10'000; number /= 10)
        step *= 10;
    return step;
}

} // namespace

Result<Nanoseconds> parse_duration(std::string_view text) {
    const auto number = read_scaled(text, time_units);
    if (!number.defect) return Nanoseconds{number.value};
    const auto refused = [&](const char* why) {
        return Failure{
            fmt::format("'{}' is no time: {}; expected a number and its unit, s, ms, us or ns, as "
                        "in 10ms or 1.5s",
                        text, why)};
    };
    switch (*number.defect) {
    case NumberDefect::UnknownUnit:
        return refused(begin_of_unit(text) == text.size() ? "it has no unit" : "unknown unit");
    case NumberDefect::NotWhole:
        return refused("parts of a nanosecond are not counted");
    case NumberDefect::TooLarge:
        return refused("it is longer than 292 years");
    case NumberDefect::NotANumber:
        break;
    }
    return refused("no number");
}

std::string to_string(Nanoseconds time) {
    if (time.count() < 0) return "-" + to_string(Nanoseconds{0} - time);
    for (const auto& [name, size, digits] : shown_times) {
        if (time.count() < size && size > 1) continue;
        std::string text = fmt::format("{}", time.count() / size);
        if (const std::int64_t rest = time.count() % size; rest > 0) {
            text += fmt::format(".{:0{}}", rest, digits);
            text.erase(text.find_last_not_of('0') + 1);
        }
        return text + " " + name;
    }
    return {};
}

Nanoseconds rounded_up(Nanoseconds time) {
    const std::int64_t step = digit_step_of(time.count());
    const std::int64_t rest = time.count() % step;
    return rest == 0 ? time : time + Nanoseconds{step - rest};
}

Nanoseconds rounded_down(Nanoseconds time) {
    return time - Nanoseconds{time.count() % digit_step_of(time.count())};
}

} // namespace warpbound::models
