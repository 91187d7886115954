#pragma once
/// \file
/// Times of pipeline stages that are not stated: bounds on the code of kernels on the SMs of their
/// partition, and the described copies of the machine.

#include "analyzer/pipeline/latency.hpp"
#include "assembly/support/result.hpp"
#include "models/launch/launch_identity.hpp"
#include "models/pipeline/system.hpp"

#include <optional>
#include <vector>

namespace warpbound::cli {

struct CompletedTimes {
    /// Of the kernels' bounds, each text once, with the stages whose bounds rest on it.
    std::vector<analyzer::PipelineAssumption> assumptions;
    /// What was bounded; none for a stage without code. Shape: [pipeline][stage].
    std::vector<std::vector<std::optional<models::LaunchIdentity>>> bounded;
};

/// Fills in the times and the clock. Refuses, at the line of the stage, what has no bound, naming
/// what to state. Files of code are relative to the file of the system. Each kernel takes an equal
/// share of the time left of the innermost `StopScope`, and `work_after` more such shares are kept
/// for what follows.
Result<CompletedTimes> complete_times(models::PipelineSystem& system, double work_after);

} // namespace warpbound::cli
