#pragma once
/// \file
/// Blocked slots as terms of a bound: sums along paths of warps with certificates, and numbers of
/// the launch (docs/theory, S23).

#include "analyzer/bound_expression.hpp"
#include "analyzer/evidence/certificate.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "analyzer/policies/time_division/blocking.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"

#include <map>
#include <vector>

namespace warpbound::analyzer {

/// Of slots that are blocked by ports, by the stages in front of the units and by the write buffer.
/// Keeps certificates, if the request asks for them. Side: upper.
class BlockingTerms {
public:
    BlockingTerms(const TimedKernel& kernel, const ScheduledLaunch& launch, const AnalysisRun& run,
                  const TimeDivisionPath& critical);

    /// By ports and stages. `slots`: slot distances of the path.
    [[nodiscard]] std::vector<BoundTerm> by_issues(const std::vector<SlotDistance>& slots) const;
    /// By the write buffer.
    [[nodiscard]] std::vector<BoundTerm> by_stores(const std::vector<SlotDistance>& slots) const;

private:
    /// Of one warp, by what its instructions add.
    using Certified = std::map<InstructionCosts, BoundTerm>;

    [[nodiscard]] const SlotBlocking& of(const std::vector<SlotDistance>& slots) const;

    bool changes_warp_slot_;
    std::map<SlotDistance, SlotBlocking> blocking_; ///< By the distances of a path.
    Certified ports_;
    Certified stages_;
};

} // namespace warpbound::analyzer
