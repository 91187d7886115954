#pragma once
/// \file
/// Launches of several warps and blocks: response times under work-conserving policies, also those
/// that are work-conserving within an active set (docs/theory, S11 to S15, S20 and S31).

#include "analyzer/policies/demand.hpp"
#include "analyzer/policies/policy.hpp"

#include <optional>

namespace warpbound::analyzer {

/// Policies that conserve work, at least within an active set: the composer of blocks, waves,
/// multiprocessors and barriers from what each instruction demands. A policy of which more is known
/// replaces the demand.
class WorkConserving : public Policy {
public:
    /// Refuses barriers under a guard that the branch behind them lacks, and contradictory facts;
    /// where set-limited, what
    /// `barriers_without_early_ends` refuses.
    [[nodiscard]] Result<Alternatives> from_above(const AnalysisContext& context,
                                                  Wanted wanted) const override;

    /// The demand under any priorities: all of it delays the critical path.
    [[nodiscard]] virtual Demand demand(const TimedKernel& kernel,
                                        const LaunchGeometry& shape) const;
    /// Another demand that bounds the same launch; none by default.
    [[nodiscard]] virtual std::optional<Demand> demand_in_turns(const TimedKernel& kernel,
                                                                const LaunchGeometry& shape,
                                                                const MemoryPath& memory) const;
};
/// Any warp that may issue, by no known rule.
const Policy& work_conserving();

/// Side: lower, of any policy. `isolated`: the lower bound of one warp in isolation; `pipelines`:
/// those that it was computed with.
Result<SideAnswer> bound_work_conserving_from_below(const TimedKernel& kernel,
                                                    const LaunchGeometry& shape,
                                                    const AnalysisRun& run,
                                                    const PipelinePair& pipelines,
                                                    SideAnswer isolated);

} // namespace warpbound::analyzer
