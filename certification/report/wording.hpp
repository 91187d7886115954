#pragma once
/// \file
/// Phrases that several renderings share, so that each number has the same name everywhere.

#include "certification/report/report.hpp"

#include <array>
#include <string>
#include <string_view>

namespace warpbound::certification {

/// "refuted" by an observation, "violated" (the deadline), "undecided", "holds", or "none" when
/// nothing was required and no observation was compared with a bound.
std::string verdict_of(const Report& report);
std::string_view side_name(analyzer::Side side);

/// "bound under assumptions, 7 unchecked". Printed with every claimed number.
std::string kind_phrase(const Report& report, const Claim& claim);

/// "7973 cycles", and the time where a clock is known: "7973 cycles, 5.015 µs".
std::string value_phrase(const Report& report, const Claim& claim);
/// To four digits, rounded outward: up for an upper bound, down for a lower one.
std::string time_text(models::Nanoseconds time, analyzer::Side side);
/// "met, margin 9.994 ms", "violated: the lower bound ends after it", .. Requires: a deadline.
std::string deadline_phrase(const Report& report);
/// "1350..1590 MHz (stated)"; without a clock, how to get times in seconds.
std::string clock_phrase(const std::optional<models::Clock>& clock);

/// "1x32", "12x128 on 2 multiprocessors".
std::string launch_text(const std::string& launch, std::int64_t multiprocessors);
std::string launch_text(const Report& report);
std::string address_text(std::int64_t address);
std::string quantity_phrase(std::string_view quantity);
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

/// The subjects of assumptions in the order in which reports group them.
constexpr std::array<analyzer::AssumptionSubject, 4> subjects{
    analyzer::AssumptionSubject::Code, analyzer::AssumptionSubject::User,
    analyzer::AssumptionSubject::Machine, analyzer::AssumptionSubject::NotModelled};
/// "about the code", "about you: ..", ..
std::string_view subject_title(analyzer::AssumptionSubject subject);

/// Sum of the cycles of all categories of the CPI stack.
std::int64_t stack_total(const Report& report);

/// Text that a terminal and an XML document can hold: control characters and bytes that are not
/// UTF-8 become '?'.
std::string printable(std::string_view text);

} // namespace warpbound::certification
