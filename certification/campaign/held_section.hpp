#pragma once
/// \file
/// The section of a campaign's report with runs beside their bounds.

#include "certification/campaign/campaign_report.hpp"

#include <string>

namespace warpbound::certification {

/// A figure and a table: times between events in ms, simulated ones in cycles. Empty where no runs
/// are held against bounds.
std::string held_section(const CampaignReport& report);

} // namespace warpbound::certification
