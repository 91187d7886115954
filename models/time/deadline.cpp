#include "models/time/deadline.hpp"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

namespace warpbound::models {
namespace {

constexpr std::string_view deadline_cycles = "cycles";

/// The time at one frequency, rounded up. Against a whole number of nanoseconds this decides as the
/// exact quotient does.
Nanoseconds ceiling_at(Cycles cycles, std::int64_t hertz) {
    return longest_time(cycles, {.lo = hertz, .hi = hertz});
}

const ClockRange& clock_required(const std::optional<ClockRange>& clock) {
    if (!clock) throw std::logic_error{"a deadline in seconds without a clock"};
    return *clock;
}

} // namespace

Result<Deadline> parse_deadline(std::string_view text) {
    if (text.ends_with(deadline_cycles)) {
        std::string_view digits = text.substr(0, text.size() - deadline_cycles.size());
        if (digits.ends_with(' ')) digits.remove_suffix(1);
        std::int64_t count = 0;
        const char* const end = digits.data() + digits.size();
        const auto [stop, error] = std::from_chars(digits.data(), end, count);
        if (error != std::errc{} || stop != end || count < 1)
            return Failure{fmt::format(
                "'{}' is no deadline; expected at least 1 cycle, as in 8000cycles", text)};
        return Deadline{Cycles{count}};
    }
    const auto time = parse_duration(text);
    if (!time) return Failure{fmt::format("{}, or 8000cycles", time.error().what)};
    if (time.value() < Nanoseconds{1})
        return Failure{fmt::format("'{}' is no deadline; expected a time above 0", text)};
    return Deadline{time.value()};
}

std::string to_string(const Deadline& deadline) {
    if (const auto* cycles = std::get_if<Cycles>(&deadline.limit))
        return fmt::format("{} {}", cycles->count(), deadline_cycles);
    return to_string(std::get<Nanoseconds>(deadline.limit));
}

bool ends_within(Cycles cycles, const Deadline& deadline, const std::optional<ClockRange>& clock) {
    if (const auto* limit = std::get_if<Cycles>(&deadline.limit)) return cycles <= *limit;
    return ceiling_at(cycles, clock_required(clock).lo) <= std::get<Nanoseconds>(deadline.limit);
}

bool ends_after(Cycles cycles, const Deadline& deadline, const std::optional<ClockRange>& clock) {
    if (const auto* limit = std::get_if<Cycles>(&deadline.limit)) return cycles > *limit;
    return ceiling_at(cycles, clock_required(clock).hi) > std::get<Nanoseconds>(deadline.limit);
}

std::string_view to_string(DeadlineVerdict verdict) {
    switch (verdict) {
    case DeadlineVerdict::Met:
        return "met";
    case DeadlineVerdict::Violated:
        return "violated";
    case DeadlineVerdict::Undecided:
        break;
    }
    return "undecided";
}

DeadlineVerdict verdict_on(const Deadline& deadline, const Bounds<Cycles>& bounds,
                           const std::optional<ClockRange>& clock) {
    if (ends_within(bounds.upper(), deadline, clock)) return DeadlineVerdict::Met;
    return ends_after(bounds.lower(), deadline, clock) ? DeadlineVerdict::Violated
                                                       : DeadlineVerdict::Undecided;
}

std::int64_t margin_of(Cycles upper, const Deadline& deadline,
                       const std::optional<ClockRange>& clock) {
    if (const auto* limit = std::get_if<Cycles>(&deadline.limit)) return (*limit - upper).count();
    const Nanoseconds limit = std::get<Nanoseconds>(deadline.limit);
    return (limit - longest_time(upper, clock_required(clock))).count();
}

std::string margin_text(Cycles upper, const Deadline& deadline,
                        const std::optional<ClockRange>& clock) {
    const std::int64_t margin = margin_of(upper, deadline, clock);
    if (!deadline.is_time()) return fmt::format("{} {}", margin, deadline_cycles);
    if (margin < 0) return "-" + to_string(rounded_up(Nanoseconds{-margin}));
    return to_string(rounded_down(Nanoseconds{margin}));
}

} // namespace warpbound::models
