#pragma once
/// \file
/// The HTML report on a campaign.

#include "cli/command.hpp"

#include <string>

namespace warpbound::cli {

/// Writes the report on all series of `campaign`; `file` is its name. Refuses what the report
/// refuses, and an output that cannot be written.
Exit write_campaign_page(harness::Campaign& campaign, const std::string& file,
                         const std::string& output);

} // namespace warpbound::cli
