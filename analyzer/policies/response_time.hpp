#pragma once
/// \file
/// The response time of a launch from the time of one warp and the demand of all (docs/theory, S11
/// to S15, S20, S31, S74 and S85).

#include "analyzer/launch/analysis_run.hpp"
#include "analyzer/launch/path_bound.hpp"
#include "analyzer/policies/critical_path_problem.hpp"

#include <optional>

namespace warpbound::analyzer {

/// `answer` does not contain the witness yet.
struct ResponseTimeBound {
    SideAnswer answer;
    std::optional<BlockPath> witness;
};

/// Side: upper. `demand`: of the instructions, under the policy.
Result<ResponseTimeBound> bound_by_demand(const CriticalPathProblem& problem, const Demand& demand,
                                          const AnalysisRun& run);

} // namespace warpbound::analyzer
