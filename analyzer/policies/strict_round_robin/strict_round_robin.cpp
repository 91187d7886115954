#include "analyzer/policies/strict_round_robin/strict_round_robin.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/policies/exact/schedule_simulation.hpp"
#include "analyzer/policies/single_warp.hpp"
#include "analyzer/policies/strict_round_robin/rotation_terms.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

constexpr const char* strict_order = "all warps of a scheduler, in strict round robin";

struct StrictOrderBound {
    std::vector<BoundTerm> terms;
    bool simulated = false; ///< The first term is the simulated time of the only schedule.
};

/// Critical path on a scheduler whose `warps` warps stay in the rotation until they end.
RotationPath path_of_scheduler(const LaunchGeometry& shape, std::int64_t turns,
                               models::Warps warps) {
    RotationPath path;
    path.warp_slots = path.warps = warps;
    path.other_schedulers_warps = shape.warps() - warps;
    path.rotations = turns - 1;
    path.blocking_warps = warps - models::Warps{1};
    return path;
}

/// Critical path through blocks that follow each other in one block slot, and from barrier to
/// barrier (S25a).
RotationPath path_of_blocks(const LaunchGeometry& shape, std::int64_t turns,
                            std::int64_t barriers) {
    using models::Cycles;
    const std::int64_t waves = shape.waves();
    const models::Warps per_block = shape.warps_per_block;
    const models::ThreadBlocks before = shape.begun_before_last();
    RotationPath path;
    path.warp_slots = shape.on_one_scheduler(shape.most_resident_warps());
    path.changes_scheduler = path.warp_slots < shape.most_resident_warps();
    path.has_carry_in = waves > 1;
    path.blocks = waves;
    if (shape.has_single_warp_blocks()) {
        const models::Warps started = before * path.warp_slots / shape.resident.count();
        path.rotations = (Cycles{turns} * waves - Cycles{1}).count();
        path.single_warp_starts = started.count() + 1;
        path.warps = started + path.warp_slots;
        path.blocking_warps = path.warps - models::Warps{waves};
        if (path.changes_scheduler)
            path.other_schedulers_warps = (before + shape.resident) * per_block - path.warps;
        return path;
    }
    const bool is_one = shape.multiprocessors == 1;
    const std::int64_t divided = shape.block_slots() > models::ThreadBlocks{1} ? 1 : 0;
    // On one multiprocessor nothing of a block counts twice, except that the critical path may
    // traverse a block once more after the start of the last one.
    const models::ThreadBlocks counted_blocks =
        waves == 1 || is_one ? shape.blocks : before + shape.resident;
    path.rotations = (Cycles{turns - 1 - barriers} * waves).count();
    path.reentries = (Cycles{barriers} * waves + Cycles{waves - 1}).count();
    path.barrier_openings =
        (Cycles{barriers} * (counted_blocks.count() - waves + (waves > 1 && is_one ? divided : 0)))
            .count();
    path.block_starts = waves == 1 ? 0 : (before - shape.resident).count() - waves + 2 + divided;
    // In each barrier interval only warps of one scheduler interfere: those of the path's own block
    // with a different part of their demand each time, those of further blocks possibly with all.
    const models::Warps on_one = shape.on_one_scheduler(per_block);
    const models::Warps all = counted_blocks * per_block;
    path.warps = path.blocking_warps = all;
    const auto in_all_intervals = [&](models::Warps warps) {
        return std::min(warps * (barriers + 1), per_block);
    };
    const models::ThreadBlocks others = counted_blocks - models::ThreadBlocks{1};
    if (waves == 1) {
        path.warps = on_one + others * in_all_intervals(on_one);
        path.blocking_warps =
            in_all_intervals(on_one - models::Warps{1}) + others * in_all_intervals(on_one);
    } else if (divided == 0) {
        path.warps = waves * on_one;
    }
    path.further_warps = all - path.warps;
    path.has_carry_in = path.has_carry_in && !is_one;
    return path;
}

std::vector<BoundTerm> terms_of_drains(const TimedKernel& kernel, const LaunchGeometry& shape,
                                       const AnalysisRun& run) {
    const InstructionCosts costs = drain_costs(kernel, Side::Upper);
    const CertificateName certificate{"execution-time-upper-drain",
                                      "drains of the stores of a warp"};
    const models::Cycles drain{certified_most(kernel, run, certificate, costs)};
    // The critical path changes to another multiprocessor, whose write buffer may still hold
    // stores.
    const models::Cycles left = models::Cycles{*std::max_element(costs.begin(), costs.end())} *
                                kernel.write_buffer.entries.hi;
    const models::Warps counted_warps =
        (shape.begun_before_last() + shape.resident) * shape.warps_per_block;
    const bool on_its_path = shape.waves() > 1 && shape.multiprocessors > 1 &&
                             drain * counted_warps + left < drain * shape.warps();
    std::vector<BoundTerm> terms{{certificate.text,
                                  (on_its_path ? counted_warps : shape.warps()).count(),
                                  drain.count(), certificate.id}};
    if (on_its_path)
        terms.push_back({"drains of the entries that are in a write buffer when the last block "
                         "starts",
                         1, left.count()});
    return terms;
}

/// What the bounds of a launch have in common.
struct StrictOrder {
    LaunchGeometry shape;
    std::int64_t barriers = 0;
    PipelinePair pipelines;
    SideAnswer isolated;       ///< One warp, by loop bounds.
    bool has_queueing = false; ///< Accesses may wait for others in the memory system.

    /// Whether warps stay in the rotation until they end, and all schedulers start together.
    [[nodiscard]] bool is_one_wave_without_barriers() const {
        return shape.waves() == 1 && barriers == 0;
    }
    [[nodiscard]] std::vector<RotationPath> paths(std::int64_t turns) const {
        if (!is_one_wave_without_barriers()) return {path_of_blocks(shape, turns, barriers)};
        // If this scheduler has one warp less, the others have one more.
        const models::Warps most = shape.on_one_scheduler(shape.warps());
        const models::Warps least = std::max(models::Warps{1}, shape.warps() / shape.schedulers);
        std::vector<RotationPath> paths;
        for (models::Warps warps = least; warps <= most; ++warps)
            paths.push_back(path_of_scheduler(shape, turns, warps));
        return paths;
    }
    [[nodiscard]] RoundRobinDelay::Warps warps(RoundRobinDelay::Stalls stalls) const {
        return {pipelines, isolated.execution.proved, stalls, has_queueing};
    }
};

Result<StrictOrder> strict_order_of(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                    const MemoryPath& memory, const AnalysisRun& run) {
    const auto common = barriers_without_early_ends(kernel, launch);
    if (!common) return common.as_failure();
    // The write buffer has terms of its own: in these pipelines it never delays.
    PipelinePair pipelines =
        pipelines_of(kernel, 1, {0, 0, 0}, {}, has_scheduler_to_itself(launch.shape));
    auto isolated =
        bound_single_warp(kernel, run, pipelines, {Side::Upper, Facts::LoopBounds}, in_isolation);
    if (!isolated) return isolated.as_failure();
    const LaunchGeometry shape =
        launch.shape.waves() == 1 ? launch.shape.full_multiprocessor() : launch.shape;
    return StrictOrder{shape, common.value().most, std::move(pipelines),
                       std::move(isolated).value(), memory.has_queueing()};
}

/// Time of this path, with its stalls by warps of other schedulers.
StrictOrderBound terms_of_scheduler(const TimedKernel& kernel, const StrictOrder& order,
                                    const RoundRobinDelay& times, const RotationPath& path) {
    // The simulation contains neither queueing delay nor the stages in front of the units.
    const auto simulated = order.has_queueing || kernel.registers.reads
                               ? std::nullopt
                               : unless_stopped([&] {
                                     return time_in_strict_order(kernel, order.shape.issue_slot,
                                                                 path.warps, Side::Upper);
                                 }).value_or(std::nullopt);
    if (!simulated) return {times.terms({path})};
    return {{{strict_order, 1, simulated->count()}, times.demand_of_other_schedulers(path)}, true};
}

/// The bound of these terms, to which those of the drains are added.
SideAnswer with_drains(const TimedKernel& kernel, const AnalysisRun& run, const StrictOrder& order,
                       StrictOrderBound bound, bool has_evidence) {
    for (BoundTerm& term : terms_of_drains(kernel, order.shape, run))
        bound.terms.push_back(std::move(term));
    if (has_evidence) keep_counted_certificates(run, bound.terms);
    std::erase_if(bound.terms,
                  [](const BoundTerm& term) { return term.count == 0 || term.cycles == 0; });
    SideAnswer answer = order.isolated;
    SideResult& execution = answer.execution;
    const bool simulated = bound.simulated && bound.terms.size() == 1;
    execution.proof = simulated ? Proof::ScheduleExploration : Proof::ResponseTime;
    if (simulated) execution.outcome = Outcome::Optimal;
    BoundExpression sum;
    sum.text = has_evidence      ? "stalls by what a warp may await"
               : bound.simulated ? "the only schedule"
                                 : "stalls by what is outstanding at each instruction";
    sum.terms = std::move(bound.terms);
    sum.has_evidence = has_evidence;
    set_bound(execution, std::move(sum));
    execution.best_found.reset();
    return answer;
}

/// By path bounds that have certificates.
SideAnswer by_any_stalls(const TimedKernel& kernel, const LaunchGeometry& shape,
                         const AnalysisRun& run, const StrictOrder& order) {
    const RoundRobinDelay times{kernel, shape, run,
                                order.warps(RoundRobinDelay::Stalls::InAnyOrder)};
    return with_drains(kernel, run, order, {times.terms(order.paths(times.turns()))}, true);
}

SideAnswer by_outstanding(const TimedKernel& kernel, const LaunchGeometry& shape,
                          const AnalysisRun& certified, const StrictOrder& order) {
    const AnalysisRun run = certified.without_certificates();
    const RoundRobinDelay times{kernel, shape, run,
                                order.warps(RoundRobinDelay::Stalls::OfOutstanding)};
    const std::vector<RotationPath> paths = order.paths(times.turns());
    if (!order.is_one_wave_without_barriers())
        return with_drains(kernel, run, order, {times.terms(paths)}, false);
    StrictOrderBound bound;
    for (const RotationPath& path : paths) {
        StrictOrderBound one = terms_of_scheduler(kernel, order, times, path);
        if (sum_of(bound.terms) < sum_of(one.terms)) bound = std::move(one);
    }
    return with_drains(kernel, run, order, std::move(bound), false);
}

/// Side: lower. The simulated time of warps with a single path.
std::optional<SideAnswer> simulated_from_below(const TimedKernel& kernel,
                                               const LaunchGeometry& shape,
                                               const SideAnswer& any_policy) {
    if (shape.waves() > 1 || kernel.registers.reads) return std::nullopt;
    const auto simulated =
        unless_stopped([&] {
            return time_in_strict_order(
                kernel, shape.issue_slot,
                shape.on_one_scheduler(shape.share() * shape.warps_per_block), Side::Lower);
        }).value_or(std::nullopt);
    if (!simulated) return std::nullopt;
    return explored_schedules(any_policy, "the only schedule",
                              {strict_order, 1, simulated->count()});
}

class StrictRoundRobin final : public Policy {
public:
    [[nodiscard]] Result<Alternatives> from_above(const AnalysisContext& context,
                                                  Wanted wanted) const override {
        const TimedKernel& kernel = context.kernel;
        const LaunchGeometry& shape = context.launch.shape;
        const AnalysisRun& run = context.run;
        const auto order = strict_order_of(kernel, context.launch, context.memory, run);
        if (!order) return order.as_failure();
        Alternatives all;
        if (wanted != Wanted::WithEvidence)
            add_alternative(all, !run.certificates || wanted == Wanted::Tightest,
                            [&] { return by_outstanding(kernel, shape, run, order.value()); });
        if (wanted != Wanted::Tightest)
            add_alternative(all, run.certificates || wanted == Wanted::WithEvidence,
                            [&] { return by_any_stalls(kernel, shape, run, order.value()); });
        return all;
    }

    [[nodiscard]] Result<Alternatives> from_below(const AnalysisContext& context,
                                                  SideAnswer any_policy, Deadline /*deadline*/,
                                                  Wanted wanted) const override {
        Alternatives all{std::move(any_policy)};
        if (wanted != Wanted::WithEvidence)
            if (auto simulated =
                    simulated_from_below(context.kernel, context.launch.shape, all.front()))
                all.push_back(std::move(*simulated));
        return all;
    }
};

} // namespace

const Policy& strict_round_robin() {
    static const StrictRoundRobin policy;
    return policy;
}

} // namespace warpbound::analyzer
