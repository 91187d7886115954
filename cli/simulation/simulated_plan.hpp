#pragma once
/// \file
/// `simulate --plan`: the points of a plan, or those of one shard, each a series of a campaign.

#include "cli/simulation/simulation_result.hpp"
#include "harness/campaign/merge.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

/// Simulates the points of the shard and prints a row for each.
Exit simulate_plan(const simulation::Options& options);

/// What the campaign of the whole plan has. Refuses what `simulate --plan` refuses.
Result<std::vector<harness::ExpectedSeries>> series_of_plan(const std::string& plan);

} // namespace warpbound::cli
