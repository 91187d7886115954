#pragma once
/// \file
/// What the bounds rest on.

#include "analyzer/analysis.hpp"
#include "analyzer/launch_shape.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <vector>

namespace warpbound::analyzer {

/// In a fixed order, ids A1, A2, .. `used[i]`: instruction i lies on a path that the facts allow.
std::vector<Assumption>
assumptions_of(const Request& request, const LaunchShape& shape,
               const std::vector<Result<models::InstructionTiming>>& timings,
               const std::vector<bool>& used);

} // namespace warpbound::analyzer
