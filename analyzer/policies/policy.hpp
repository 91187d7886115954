#pragma once
/// \file
/// The time of a launch under its scheduling policy, when no access waits for another at the caches
/// or DRAM: which bound covers which policy.

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Side: upper.
/// - one warp: its worst-case path;
/// - work-conserving policies, and all policies where so few warps are resident that they conserve
///   work: response time (docs/soundness.md, S11 to S15, S20, S27, S31);
/// - strict round robin: rotations of turns, or the only schedule (S25, S28);
/// - time division (`variable-rate`): own delay in time slots and blocked slots (S17, S23, S30).
Result<SideAnswer> bound_by_policy_from_above(const AnalysisContext& context);

/// Side: lower. The largest of the best-case path of one warp, what the launch needs of issue slots
/// and ports, and what the policy's schedule takes at least. `deadline`: for the solver.
Result<SideAnswer> bound_by_policy_from_below(const AnalysisContext& context, Deadline deadline);

/// Whether bounds of this launch that rest on path certificates may be looser than those without
/// (docs/soundness.md, S23, S26 and S28).
bool certificates_may_be_looser(const AnalysisContext& context);

} // namespace warpbound::analyzer
