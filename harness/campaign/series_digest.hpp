#pragma once
/// \file
/// Digests of what a series holds: they find a sample, a condition or a key that was altered,
/// relabelled, removed or put in between after it was recorded. They are no signature: who knows
/// how they are made can make them again.

#include "harness/campaign/series.hpp"

namespace warpbound::harness {

/// Digests of a series: of its key and runs, and of its key and conditions.
struct SeriesDigests {
    std::string runs;
    std::string conditions;

    friend bool operator==(const SeriesDigests&, const SeriesDigests&) = default;
};

/// Digest of the runs of a series that has none.
std::string digest_without_runs(const SeriesKey& key);
/// Digest of the runs up to `sample`; `before` is that of the runs before it. The cost does not
/// depend on their number.
std::string digest_with_run(const std::string& before, const Sample& sample);
/// The order of the conditions of one run does not matter.
std::string digest_of_conditions(const SeriesKey& key,
                                 const std::vector<RecordedConditions>& conditions);

} // namespace warpbound::harness
