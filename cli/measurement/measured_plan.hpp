#pragma once
/// \file
/// `measure --plan`: kernels on their data at launches and under release patterns, each point
/// recorded in the campaign of its shard.

#include "cli/program/command.hpp"
#include "harness/campaign/merge.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

struct MeasuredPlanOptions {
    std::string plan;
    std::string shard;    ///< As --shard.
    std::string device;   ///< As --device; empty: the plan states devices.
    std::string campaign; ///< With {shard} in its name.
    std::string format = "text";
};

/// Measures the points of the shard and prints a row for each series.
Exit measure_plan(const MeasuredPlanOptions& options);

/// Whether the file is a plan of `measure`, by its root element. False where it cannot be read.
bool is_measurement_plan(const std::string& file);

/// The series that the campaign of the whole plan has, in the order of the plan, as the parts name
/// their points. Refuses a point that is in no part, and parts of different cards of one name.
Result<std::vector<harness::ExpectedSeries>>
series_of_measurement_plan(const std::string& file,
                           const std::vector<harness::CampaignPart>& parts);

} // namespace warpbound::cli
