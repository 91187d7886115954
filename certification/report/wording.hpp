#pragma once
/// \file
/// Phrases that several renderings share, so that each number has the same name everywhere.

#include "certification/report/report.hpp"

#include <string>
#include <string_view>

namespace warpbound::certification {

/// "refuted", "undecided", "holds", or "none" when no observation was compared with a bound.
std::string verdict_of(const Report& report);
std::string_view side_name(analyzer::Side side);

/// "bound under assumptions, 7 unchecked". Printed with every claimed number.
std::string kind_phrase(const Report& report, const Claim& claim);

/// "1x32", "12x128 on 2 multiprocessors".
std::string launch_text(const std::string& launch, std::int64_t multiprocessors);
std::string launch_text(const Report& report);
std::string address_text(std::int64_t address);
std::string quantity_phrase(std::string_view quantity);
std::string joined(const std::vector<std::string>& parts, std::string_view separator);

/// Sum of the cycles of all categories of the CPI stack.
std::int64_t stack_total(const Report& report);

/// Text that a terminal and an XML document can hold: control characters and bytes that are not
/// UTF-8 become '?'.
std::string printable(std::string_view text);

} // namespace warpbound::certification
