#pragma once
/// \file
/// Times of runs from a text of one column.

#include "assembly/support/source_text.hpp"
#include "certification/pwcet/pwcet.hpp"

namespace warpbound::certification {

/// One time a line, in run order: digits with at most nine decimals, from 0 to 2^53 ticks. Lines
/// that are empty or begin with # are left out, as is a first line without a digit (a heading).
/// Refuses anything else with its line, and a text without times.
Result<TimesInRunOrder> read_times(const assembly::SourceText& source, std::string unit);

} // namespace warpbound::certification
