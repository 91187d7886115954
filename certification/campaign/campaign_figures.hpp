#pragma once
/// \file
/// The figures of a report on a campaign.

#include "certification/campaign/campaign_report.hpp"

#include <string>
#include <string_view>

namespace warpbound::certification {

/// Text of all axes except `without`: "n 4, warps 2".
std::string axes_text(const harness::Axes& axes, std::string_view without = {});

/// Figures as HTML, each where its numbers exist: times against the axis with most values, the
/// benchmark's own figure, times by warp, and the distribution of the runs.
std::string figures_of(const CampaignGroup& group);

} // namespace warpbound::certification
