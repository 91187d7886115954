#pragma once
/// \file
/// What a reader of a campaign's text hands on, piece by piece.

#include "harness/campaign/campaign.hpp"

#include <functional>

namespace warpbound::harness {

/// What a reader hands on. Conditions and samples are of the last series.
struct CampaignListener {
    std::function<Result<void>(const SeriesKey&)> series;
    std::function<Result<void>(const RecordedConditions&)> conditions;
    std::function<Result<void>(Sample)> sample;
};

} // namespace warpbound::harness
