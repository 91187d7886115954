#include "analyzer/policies/policy.hpp"

#include "analyzer/policies/single_warp.hpp"
#include "analyzer/policies/strict_round_robin/strict_round_robin.hpp"
#include "analyzer/policies/time_division/certified_terms.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"
#include "analyzer/policies/time_division/time_division.hpp"
#include "analyzer/policies/work_conserving.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

/// How the launch has to be bounded. The policies that guarantee less than work conservation are
/// told apart from those under which they conserve work because few warps are resident.
enum class Regime { SingleWarp, WorkConserving, StrictRoundRobin, TimeDivision };

Regime regime_of(const AnalysisContext& context) {
    if (context.shape.warps() == 1) return Regime::SingleWarp;
    if (conserves_work(context.request, context.shape)) return Regime::WorkConserving;
    switch (models::guarantee_of(context.request.policy)) {
    case models::PolicyGuarantee::OrderForced:
        return Regime::StrictRoundRobin;
    case models::PolicyGuarantee::TimeDivision:
        return Regime::TimeDivision;
    case models::PolicyGuarantee::WorkConserving:
    case models::PolicyGuarantee::SetLimited:
        break;
    }
    return Regime::WorkConserving;
}

/// A smaller write buffer waits longer: the smallest one bounds from above.
PipelinePair slowest_pipelines(const AnalysisContext& context) {
    return pipelines_of(context,
                        std::min(context.buffer_entries.lo, PipelineModel::tracked_entries),
                        context.buffer_drain);
}

/// A larger write buffer waits less: the largest one bounds from below.
PipelinePair fastest_pipelines(const AnalysisContext& context) {
    return pipelines_of(context, context.buffer_entries.hi, context.buffer_drain);
}

} // namespace

Result<SideAnswer> bound_by_policy_from_above(const AnalysisContext& context) {
    const bool certified = context.request.certificates != nullptr;
    switch (regime_of(context)) {
    case Regime::SingleWarp:
        return bound_single_warp(context, slowest_pipelines(context), Side::Upper,
                                 context.deadline);
    case Regime::StrictRoundRobin:
        return bound_strict_round_robin_from_above(context, context.deadline);
    case Regime::TimeDivision:
        return certified ? certify_time_division_from_above(context, context.deadline)
                         : bound_time_division_from_above(context, context.deadline);
    case Regime::WorkConserving:
        break;
    }
    return bound_work_conserving_from_above(context, context.deadline);
}

Result<SideAnswer> bound_by_policy_from_below(const AnalysisContext& context, Deadline deadline) {
    const PipelinePair pipelines = fastest_pipelines(context);
    auto alone = bound_single_warp(context, pipelines, Side::Lower, deadline);
    const Regime regime = regime_of(context);
    if (!alone || regime == Regime::SingleWarp) return alone;
    auto any_policy =
        bound_work_conserving_from_below(context, pipelines, std::move(alone).value());
    if (!any_policy) return any_policy;
    const bool certified = context.request.certificates != nullptr;
    // The schedule of strict round robin is simulated, which no path certificate shows.
    if (regime == Regime::StrictRoundRobin && !certified)
        return bound_strict_round_robin_from_below(context, std::move(any_policy).value());
    if (regime == Regime::TimeDivision)
        return certified ? own_delay_from_below(context, std::move(any_policy).value(), deadline)
                         : bound_time_division_from_below(context, std::move(any_policy).value(),
                                                          deadline);
    return any_policy;
}

bool certificates_may_be_looser(const AnalysisContext& context) {
    const Regime regime = regime_of(context);
    return context.has_queueing() || regime == Regime::TimeDivision ||
           regime == Regime::StrictRoundRobin;
}

} // namespace warpbound::analyzer
