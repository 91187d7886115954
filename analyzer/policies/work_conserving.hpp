#pragma once
/// \file
/// Launches of several warps and blocks: response times under work-conserving policies, also those
/// that are work-conserving within an active set (docs/soundness.md, S11 to S15, S20 and S31).

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Side: upper. Sound when: the policy is work-conserving or set-limited. Refuses guarded
/// barriers, and contradictory facts; where set-limited, what `barriers_without_early_ends`
/// refuses.
Result<SideAnswer> bound_work_conserving_from_above(const AnalysisContext& context,
                                                    Deadline deadline);

/// Side: lower. `isolated`: the lower bound of one warp in isolation; `pipelines`: those that it
/// was computed with.
Result<SideAnswer> bound_work_conserving_from_below(const AnalysisContext& context,
                                                    const PipelinePair& pipelines,
                                                    SideAnswer isolated);

} // namespace warpbound::analyzer
