#include "analyzer/policies/time_division/own_delay.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/policies/single_warp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

ScheduledLaunch on_fullest_multiprocessor(const ScheduledLaunch& launch) {
    ScheduledLaunch one = launch;
    if (launch.shape.waves() == 1) one.shape = launch.shape.full_multiprocessor();
    return one;
}

std::string distance_suffix(const SlotDistance& slots) {
    if (slots.shortest == slots.longest) return fmt::format("-slot-distance-{}", slots.longest);
    return fmt::format("-slot-distance-{}-{}", slots.shortest, slots.longest);
}

std::string TimeDivisionPath::id_suffix(const std::vector<SlotDistance>& slots) const {
    return barriers > 0 ? in_any_warp_slot : distance_suffix(slots.front());
}

namespace {

/// "a slot every 4 to 8 cycles"
std::string distance_text(const std::vector<SlotDistance>& slots) {
    if (slots.size() > 1) return "any warp slot";
    const SlotDistance& one = slots.front();
    if (one.shortest == one.longest) return fmt::format("a slot every {} cycles", one.longest);
    return fmt::format("a slot every {} to {} cycles", one.shortest, one.longest);
}

} // namespace

Result<TimeDivisionPath> time_division_path(const TimedKernel& kernel,
                                            const ScheduledLaunch& launch,
                                            const MemoryPath& memory) {
    TimeDivisionPath critical;
    const auto barriers = barriers_without_early_ends(kernel, launch);
    if (!barriers) return barriers.as_failure();
    critical.barriers = barriers.value().most;
    critical.queues_drains = memory.caches.has_value();
    // In several waves the critical path may pass through all warp slots, at barriers also within a
    // block.
    critical.changes_warp_slot = launch.shape.waves() > 1 || critical.barriers > 0;
    critical.distances = slot_distances(launch.policy, launch.shape);
    if (critical.barriers > 0)
        critical.paths = {critical.distances};
    else
        for (const SlotDistance& slots : critical.distances)
            critical.paths.push_back({slots});
    return critical;
}

Result<std::vector<PathInSlots>> longest_in_slots(const TimedKernel& kernel,
                                                  const LaunchGeometry& shape,
                                                  const AnalysisRun& run,
                                                  const TimeDivisionPath& critical) {
    // Facts on whole paths do not hold for a critical path through several warps.
    const Facts facts = critical.barriers > 0 ? Facts::LoopBounds : Facts::All;
    std::vector<PathInSlots> paths;
    for (const auto& slots : critical.paths) {
        // The write buffer has terms of its own: in these pipelines it never delays.
        const PipelinePair pipelines =
            pipelines_of(kernel, 1, {0, 0, 0}, slots, has_scheduler_to_itself(shape));
        auto isolated = bound_single_warp(kernel, run, pipelines, {Side::Upper, facts},
                                          critical.id_suffix(slots));
        if (!isolated) return isolated.as_failure();
        paths.push_back({slots, std::move(isolated).value()});
    }
    return paths;
}

SideAnswer with_terms(const std::vector<PathInSlots>& paths, const TermsOfPath& terms,
                      const std::string& text, bool has_evidence) {
    std::optional<SideAnswer> worst;
    std::vector<BoundExpression> cases;
    Outcome outcome = Outcome::Optimal;
    std::int64_t nodes = 0;
    for (const PathInSlots& path : paths) {
        SideAnswer answer = path.isolated;
        SideResult& execution = answer.execution;
        nodes += answer.nodes;
        if (execution.outcome != Outcome::Optimal) outcome = Outcome::LimitReached;
        BoundExpression sum;
        sum.text = text + ", " + distance_text(path.slots);
        sum.terms = terms(path.slots, execution.proved.count());
        sum.has_evidence = has_evidence;
        cases.push_back(sum);
        set_bound(execution, std::move(sum));
        if (!worst || worst->execution.proved < execution.proved) worst = std::move(answer);
    }
    set_bound(worst->execution, worst_of(Side::Upper, std::move(cases)));
    worst->nodes = nodes;
    worst->execution.proof = Proof::ResponseTime;
    worst->execution.outcome = outcome;
    worst->execution.best_found.reset();
    return std::move(*worst);
}

Result<SideAnswer> own_delay_from_below(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                        const AnalysisRun& run, SideAnswer answer) {
    // Warp slots that are occupied on some multiprocessor in every run.
    const LaunchGeometry occupied =
        launch.shape.one_multiprocessor(launch.shape.min_initial_on_fullest());
    for (const SlotDistance& slots : slot_distances(launch.policy, occupied)) {
        if (slots.longest == 1) continue;
        const PipelinePair pipelines = pipelines_of(kernel, kernel.write_buffer.entries.hi,
                                                    kernel.write_buffer.drain, {slots});
        auto isolated = bound_single_warp(kernel, run, pipelines, {Side::Lower, Facts::All},
                                          distance_suffix(slots));
        if (!isolated) return isolated;
        SideResult& execution = isolated.value().execution;
        isolated.value().nodes += answer.nodes;
        // The path counts each slot distance as the longest, from the beginning of the first slot;
        // the run may start within that slot.
        const std::int64_t path = execution.proved.count();
        const models::Cycles least{(models::Cycles{path} * slots.shortest).count() / slots.longest -
                                   (launch.shape.issue_slot.hi - 1)};
        BoundExpression sum;
        sum.text = "path of a warp in its time slots, " + distance_text({slots});
        sum.terms = {{"path of a warp in its time slots, with the longest slot distance throughout",
                      1, path, "execution-time-lower" + distance_suffix(slots)}};
        if (path != least.count())
            sum.terms.push_back(
                {"correction to the shortest slot distance, and for a start within the first slot",
                 1, least.count() - path});
        BoundExpression all = best_of(Side::Lower, {answer.execution.bound, sum});
        if (answer.execution.proved < least) {
            set_bound(execution, std::move(sum));
            execution.proof = Proof::ResponseTime;
            execution.best_found.reset();
            answer = std::move(isolated).value();
        }
        answer.execution.bound = std::move(all);
    }
    return answer;
}

} // namespace warpbound::analyzer
