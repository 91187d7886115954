#pragma once
/// \file
/// The complete content of a campaign, for comparison.

#include "harness/campaign/campaign.hpp"

#include <vector>

namespace warpbound::harness {

struct SeriesContent {
    SeriesKey key;
    std::vector<Sample> samples;
    std::vector<RecordedConditions> conditions;

    friend bool operator==(const SeriesContent&, const SeriesContent&) = default;
};

inline std::vector<SeriesContent> content_of(Campaign& campaign) {
    std::vector<SeriesContent> all;
    const auto list = campaign.list().value();
    for (const auto& info : list)
        all.push_back(
            {info.key, campaign.samples(info.id).value(), campaign.conditions(info.id).value()});
    return all;
}

} // namespace warpbound::harness
