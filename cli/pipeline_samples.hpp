#pragma once
/// \file
/// Observed own times of pipeline stages, from files and campaigns.

#include "analyzer/pipeline/miss_probability.hpp"
#include "assembly/support/result.hpp"
#include "models/pipeline/system.hpp"

#include <vector>

namespace warpbound::cli {

/// Shape: [pipeline]. Names of files are relative to the file of the system. Cycles of campaigns
/// count at the lowest clock. Refuses, at the line of the element or of the sample, what cannot be
/// read, a series that is not one, and a time outside the own times of its stage. Requires: every
/// stage has a time.
Result<std::vector<analyzer::ObservedOwnTimes>> load_samples(const models::PipelineSystem& system);

} // namespace warpbound::cli
