#pragma once
/// \file
/// One campaign of the parts that several processes recorded.

#include "harness/campaign/campaign.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace warpbound::harness {

struct CampaignPart {
    std::string name; ///< Of its file.
    std::unique_ptr<Campaign> campaign;
};

/// A series that a merged campaign must have.
struct ExpectedSeries {
    SeriesKey key;
    std::int64_t runs = 0;
    std::string point; ///< Of the plan, as messages name it.
};

/// Copies all series of the parts, in the order of `expected`, into a campaign without series: all
/// of them or nothing. Refuses, naming the files: a series in two parts; one that is not expected,
/// and in what it differs from one that is; an expected one that is missing or has another number
/// of runs; what `Campaign` refuses of a damaged part. Aborts once `stop` returns true.
Result<void> merge_campaigns(const std::vector<CampaignPart>& parts,
                             const std::vector<ExpectedSeries>& expected, Campaign& merged,
                             const std::function<bool()>& stop = {});

/// The series of the parts, as they are, in the order of their keys.
Result<std::vector<ExpectedSeries>> series_of(const std::vector<CampaignPart>& parts);

} // namespace warpbound::harness
