#pragma once
/// \file
/// Launches whose warps are chosen strictly in turn (`srr`): a warp that may not issue yet keeps
/// all others of its scheduler waiting (docs/soundness.md, S25 and S25a).

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Side: upper. Sound under `srr`. Refuses barriers that warps
/// of a block may pass differently, and contradictory facts.
Result<SideAnswer> bound_strict_round_robin_from_above(const AnalysisContext& context,
                                                       Deadline deadline);

/// Takes the time of warps with one path where that is above `answer`, which is the bound of any
/// policy.
SideAnswer bound_strict_round_robin_from_below(const AnalysisContext& context, SideAnswer answer);

} // namespace warpbound::analyzer
