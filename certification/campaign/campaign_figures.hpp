#pragma once
/// \file
/// The figures of a report on a campaign.

#include "certification/campaign/campaign_report.hpp"

#include <string>
#include <string_view>

namespace warpbound::certification {

/// "n 4, warps 2", of the axes but `without`.
std::string axes_text(const harness::Axes& axes, std::string_view without = {});

/// As HTML: what runs showed against the widest axis, what the benchmark is about, its times by
/// warp and how runs are distributed; each where there are numbers for it.
std::string figures_of(const CampaignGroup& group);

} // namespace warpbound::certification
