#pragma once
/// \file
/// The page about a campaign.

#include "cli/command.hpp"

#include <string>

namespace warpbound::cli {

/// On all that `campaign` holds; `file` is its name. Refuses what the report refuses, and an output
/// that cannot be written.
Exit write_campaign_page(harness::Campaign& campaign, const std::string& file,
                         const std::string& output);

} // namespace warpbound::cli
