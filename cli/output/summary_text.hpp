#pragma once
/// \file
/// Observed times as lines of text and as JSON.

#include "harness/campaign/campaign.hpp"
#include "harness/protocol/statistics.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::cli {

/// The times that a summary of a series of this quantity uses: those of each run that counts, in
/// run order; of clocks, which include the first reads, only the largest. `Shape:` runs[run][time].
std::vector<std::vector<std::int64_t>> summarised_runs(const std::vector<harness::Sample>& samples,
                                                       std::string_view quantity);
/// The same times, concatenated over the runs.
std::vector<std::int64_t> summarised_times(const std::vector<harness::Sample>& samples,
                                           std::string_view quantity);

/// Heading of the columns that `summary_row` prints.
std::string summary_heading(const std::string& label);
std::string summary_row(const std::string& label, const harness::Summary& summary);
/// Distinct values with counts when there are few, and modes when there are several.
std::string summary_details(const harness::Summary& summary);
nlohmann::ordered_json summary_json(const harness::Summary& summary,
                                    std::string_view unit = "cycles");
/// The label of a series in a table of cycles; names the unit where the quantity has another one.
std::string summary_label(const std::string& name, std::string_view quantity);

} // namespace warpbound::cli
