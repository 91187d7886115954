#include "analyzer/policies/policy_table.hpp"

#include "analyzer/policies/loose_round_robin.hpp"
#include "analyzer/policies/single_warp.hpp"
#include "analyzer/policies/strict_round_robin/strict_round_robin.hpp"
#include "analyzer/policies/time_division/time_division.hpp"
#include "analyzer/policies/two_level.hpp"
#include "analyzer/policies/work_conserving.hpp"
#include "assembly/isa/target.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::PolicyKind;

struct BoundedPolicy {
    PolicyKind kind;
    const Policy& (*policy)();
};

/// Which bound covers which policy.
constexpr std::array bounded_policies{
    BoundedPolicy{PolicyKind::LooseRoundRobin, loose_round_robin},
    BoundedPolicy{PolicyKind::GreedyThenOldest, work_conserving},
    BoundedPolicy{PolicyKind::GreedyThenYoungest, work_conserving},
    BoundedPolicy{PolicyKind::OldestFirst, work_conserving},
    BoundedPolicy{PolicyKind::TwoLevel, two_level},
    BoundedPolicy{PolicyKind::StrictRoundRobin, strict_round_robin},
    BoundedPolicy{PolicyKind::VariableRate, time_division},
    BoundedPolicy{PolicyKind::Unknown, work_conserving},
};
static_assert(bounded_policies.size() == models::named_policies.size());

/// A smaller write buffer waits longer: the smallest one bounds from above.
PipelinePair slowest_pipelines(const TimedKernel& kernel) {
    const WriteBuffer& buffer = kernel.write_buffer;
    return pipelines_of(kernel, std::min(buffer.entries.lo, PipelineModel::tracked_entries),
                        buffer.drain);
}

/// A larger write buffer waits less: the largest one bounds from below.
PipelinePair fastest_pipelines(const TimedKernel& kernel) {
    return pipelines_of(kernel, kernel.write_buffer.entries.hi, kernel.write_buffer.drain);
}

Result<Alternatives> only(Result<SideAnswer> answer) {
    if (!answer) return answer.as_failure();
    return Alternatives{std::move(answer).value()};
}

} // namespace

const Policy& policy_of(const ScheduledLaunch& launch) {
    const models::WarpPolicy& policy = launch.policy;
    const bool is_enough_by_name = launch.guarantee() == models::PolicyGuarantee::WorkConserving;
    // A conserving `variable-rate` has no table of slots.
    const bool any_order = policy.kind == PolicyKind::VariableRate && is_enough_by_name;
    if (any_order || (!is_enough_by_name && conserves_work(launch))) return work_conserving();
    return std::find_if(bounded_policies.begin(), bounded_policies.end(),
                        [&](const BoundedPolicy& row) { return row.kind == policy.kind; })
        ->policy();
}

Result<Alternatives> bounds_by_policy_from_above(const AnalysisContext& context, Wanted wanted) {
    if (context.launch.shape.has_one_warp())
        return only(bound_single_warp(context.kernel, context.run,
                                      slowest_pipelines(context.kernel), {Side::Upper}));
    return policy_of(context.launch).from_above(context, wanted);
}

Result<Alternatives> bounds_by_policy_from_below(const AnalysisContext& context, Deadline deadline,
                                                 Wanted wanted) {
    const PipelinePair pipelines = fastest_pipelines(context.kernel);
    auto alone =
        bound_single_warp(context.kernel, context.run.until(deadline), pipelines, {Side::Lower});
    if (!alone || context.launch.shape.has_one_warp()) return only(std::move(alone));
    auto any_policy = bound_work_conserving_from_below(
        context.kernel, context.launch.shape, context.run, pipelines, std::move(alone).value());
    if (!any_policy) return any_policy.as_failure();
    // What a policy delays from below rests on one issue in a cycle, which a SIMD of AMD need not
    // keep (C99).
    if (is_amd(context.kernel.architecture->target)) return only(std::move(any_policy));
    return policy_of(context.launch)
        .from_below(context, std::move(any_policy).value(), deadline, wanted);
}

} // namespace warpbound::analyzer
