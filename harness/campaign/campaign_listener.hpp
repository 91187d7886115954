#pragma once
/// \file
/// The callbacks of a reader of a campaign's text.

#include "harness/campaign/campaign.hpp"

#include <functional>

namespace warpbound::harness {

/// Called by a reader in the order of the text. Conditions and samples belong to the last series.
struct CampaignListener {
    std::function<Result<void>(const SeriesKey&)> series;
    std::function<Result<void>(const RecordedConditions&)> conditions;
    std::function<Result<void>(Sample)> sample;
    /// Called once if the text has no digests, so that its samples are not checked. May be empty.
    std::function<void()> without_digests{};
};

} // namespace warpbound::harness
