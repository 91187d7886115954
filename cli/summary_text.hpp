#pragma once
/// \file
/// Observed times as lines of text and as JSON.

#include "harness/protocol/statistics.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace warpbound::cli {

/// Heading of the columns that `summary_row` prints.
std::string summary_heading(const std::string& label);
std::string summary_row(const std::string& label, const harness::Summary& summary);
/// Distinct values with counts when there are few, and modes when there are several.
std::string summary_details(const harness::Summary& summary);
nlohmann::ordered_json summary_json(const harness::Summary& summary);

} // namespace warpbound::cli
