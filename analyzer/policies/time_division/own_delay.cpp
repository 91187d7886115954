#include "analyzer/policies/time_division/own_delay.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/policies/single_warp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

AnalysisContext as_delayed(const AnalysisContext& context) {
    AnalysisContext one = context;
    if (context.shape.waves() == 1) one.shape = context.shape.fullest();
    return one;
}

std::string kind_of(const SlotDistance& slots) {
    if (slots.shortest == slots.longest) return fmt::format("-slot-distance-{}", slots.longest);
    return fmt::format("-slot-distance-{}-{}", slots.shortest, slots.longest);
}

std::string TimeDivisionPath::kind(const std::vector<SlotDistance>& slots) const {
    return barriers > 0 ? in_any_warp_slot : kind_of(slots.front());
}

Result<TimeDivisionPath> time_division_path(const AnalysisContext& context) {
    TimeDivisionPath chain;
    if (context.shape.warps_per_block > 1) {
        const auto common = aligned_barriers(context);
        if (!common) return common.as_failure();
        chain.barriers = common.value();
    }
    // In several waves warps of all places follow each other, at barriers also within a block.
    chain.changes_place = context.shape.waves() > 1 || chain.barriers > 0;
    chain.places = slot_distances(context.request.policy, context.shape);
    if (chain.barriers > 0)
        chain.paths = {chain.places};
    else
        for (const SlotDistance& slots : chain.places)
            chain.paths.push_back({slots});
    return chain;
}

Result<SideAnswer> longest_in_slots(const AnalysisContext& context, const TimeDivisionPath& chain,
                                    Deadline deadline, const TermsOfPath& terms) {
    // Facts about whole paths do not follow the chain from warp to warp.
    const Facts facts = chain.barriers > 0 ? Facts::LoopBounds : Facts::All;
    std::optional<SideAnswer> worst;
    Outcome outcome = Outcome::Optimal;
    std::int64_t nodes = 0;
    for (const auto& slots : chain.paths) {
        // The write buffer counts on its own: here it never delays.
        const PipelinePair rules = pipelines_of(context, 1, {0, 0, 0}, slots);
        auto alone =
            bound_single_warp(context, rules, Side::Upper, deadline, facts, chain.kind(slots));
        if (!alone) return alone;
        SideResult& execution = alone.value().execution;
        nodes += alone.value().nodes;
        if (execution.outcome != Outcome::Optimal) outcome = Outcome::LimitReached;
        execution.terms = terms(slots, execution.proved.count());
        execution.proved = sum_of(execution.terms);
        if (!worst || worst->execution.proved < execution.proved) worst = std::move(alone).value();
    }
    worst->nodes = nodes;
    worst->execution.proof = Proof::ResponseTime;
    worst->execution.outcome = outcome;
    worst->execution.best_found.reset();
    return std::move(*worst);
}

Result<SideAnswer> own_delay_from_below(const AnalysisContext& context, SideAnswer answer,
                                        Deadline deadline) {
    // Places that are surely taken on some multiprocessor.
    const LaunchGeometry taken = context.shape.holding(context.shape.surely_together());
    for (const SlotDistance& slots : slot_distances(context.request.policy, taken)) {
        if (slots.longest == 1) continue;
        const PipelinePair rules =
            pipelines_of(context, context.buffer_entries.hi, context.buffer_drain, {slots});
        auto alone =
            bound_single_warp(context, rules, Side::Lower, deadline, Facts::All, kind_of(slots));
        if (!alone) return alone;
        SideResult& execution = alone.value().execution;
        alone.value().nodes += answer.nodes;
        // The path counts every distance as the longest, from the beginning of the first slot, in
        // which the run may start.
        const std::int64_t path = execution.proved.count();
        const models::Cycles least{(models::Cycles{path} * slots.shortest).count() / slots.longest -
                                   (context.shape.issue_slot.hi - 1)};
        if (!(answer.execution.proved < least)) continue;
        execution.terms = {{"path of a warp in its slots, all of them the longest distance apart",
                            1, path, "execution-time-lower" + kind_of(slots)}};
        if (path != least.count())
            execution.terms.push_back(
                {"slots that are the shortest distance apart, and the start within the first one",
                 1, least.count() - path});
        execution.proved = least;
        execution.proof = Proof::ResponseTime;
        execution.best_found.reset();
        answer = std::move(alone).value();
    }
    return answer;
}

} // namespace warpbound::analyzer
