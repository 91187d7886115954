#pragma once
/// \file
/// Strict round robin (`srr`), which is not work-conserving: a warp that may not issue yet blocks
/// all others of its scheduler (docs/soundness.md, S25 and S25a).

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Side: upper. Sound under `srr`. Refuses what `barriers_without_early_ends`
/// refuses, and contradictory facts.
Result<SideAnswer> bound_strict_round_robin_from_above(const AnalysisContext& context,
                                                       Deadline deadline);

/// Side: lower. The simulated time of warps with a single path, if it exceeds `answer`, which is
/// the lower bound of any policy.
SideAnswer bound_strict_round_robin_from_below(const AnalysisContext& context, SideAnswer answer);

} // namespace warpbound::analyzer
