#pragma once
/// \file
/// Launches of several warps and blocks: response times under policies that are work-conserving,
/// or so in an active set (docs/soundness.md, S11 to S15, S20 and S31).

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Side: upper. Sound when: the policy is work-conserving or set-limited. Refuses barriers that
/// warps of a block may pass differently, and contradictory facts.
Result<SideAnswer> bound_work_conserving_from_above(const AnalysisContext& context,
                                                    Deadline deadline);

/// Side: lower. `alone`: the lower side of one warp that runs alone; `rules`: those it was found
/// with.
Result<SideAnswer> bound_work_conserving_from_below(const AnalysisContext& context,
                                                    const PipelinePair& rules, SideAnswer alone);

} // namespace warpbound::analyzer
