#pragma once
/// \file
/// The HTML report on a campaign.

#include "certification/campaign/held_runs.hpp"
#include "cli/program/command.hpp"

#include <string>
#include <vector>

namespace warpbound::cli {

/// Writes the report on all series of `campaign`; `file` is its name. Refuses what the report
/// refuses, and an output that cannot be written. `held`: runs beside their bounds, shown first.
Exit write_campaign_page(harness::Campaign& campaign, const std::string& file,
                         const std::string& output, std::vector<certification::HeldRuns> held = {});

} // namespace warpbound::cli
