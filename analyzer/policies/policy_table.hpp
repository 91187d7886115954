#pragma once
/// \file
/// Which file bounds which policy, and the bounds of a launch under its policy.

#include "analyzer/policies/policy.hpp"

namespace warpbound::analyzer {

/// What bounds this launch. Where so few warps are resident that its policy conserves work, that is
/// the bound of work-conserving policies.
const Policy& policy_of(const ScheduledLaunch& launch);

/// Side: upper.
Result<Alternatives> bounds_by_policy_from_above(const AnalysisContext& context, Wanted wanted);
/// Side: lower. The best-case path of one warp, what the launch needs of issue slots and ports, and
/// what the policy's schedule takes at least. `deadline`: for the solver.
Result<Alternatives> bounds_by_policy_from_below(const AnalysisContext& context, Deadline deadline,
                                                 Wanted wanted);

} // namespace warpbound::analyzer
