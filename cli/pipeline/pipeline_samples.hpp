#pragma once
/// \file
/// Observed own times of pipeline stages, from files and campaigns.

#include "analyzer/pipeline/miss_probability.hpp"
#include "assembly/support/result.hpp"
#include "cli/pipeline/pipeline_times.hpp"
#include "models/pipeline/system.hpp"

#include <vector>

namespace warpbound::cli {

struct LoadedSamples {
    std::vector<analyzer::ObservedOwnTimes> times; ///< Shape: [pipeline].
    /// What was not compared between a stage and its samples, an assumption for each.
    std::vector<analyzer::PipelineAssumption> assumptions;
};

/// Names of files are relative to the file of the system. Cycles of campaigns count at the lowest
/// clock, with the longest cost of the launch. Refuses, at the line of the element or of the
/// sample, what cannot be read, a series that is not one, one of another launch than the bounded
/// code, and a time outside the own times of its stage. Requires: every stage has a time.
Result<LoadedSamples> load_samples(const models::PipelineSystem& system,
                                   const CompletedTimes& completed);

} // namespace warpbound::cli
