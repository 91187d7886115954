#include "analyzer/policies/strict_round_robin/strict_round_robin.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/queue_demand.hpp"
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
    SideAnswer isolated;       ///< One warp, by loop bounds, without delays by memory queues.
    bool has_queueing = false; ///< Accesses may wait for others in the memory system.
    std::optional<PipelinePair> without_backlog; ///< Where there are memory queues.

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
    [[nodiscard]] RoundRobinDelay::Warps warps() const {
        return {pipelines, isolated.execution.proved, has_queueing,
                without_backlog ? &*without_backlog : nullptr};
    }
};

Result<StrictOrder> strict_order_of(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                    const MemoryPath& memory, const AnalysisRun& run) {
    const auto common = barriers_without_early_ends(kernel, launch);
    if (!common) return common.as_failure();
    // The write buffer has terms of its own: in these pipelines it never delays.
    const auto pipelines_for = [&](const TimedKernel& of) {
        return pipelines_of(of, 1, {0, 0, 0}, {}, has_scheduler_to_itself(launch.shape));
    };
    const TimedKernel undelayed = without_queues(kernel, lags_without_backlog(kernel));
    PipelinePair pipelines = pipelines_for(undelayed);
    auto isolated = bound_single_warp(undelayed, run, pipelines, {Side::Upper, Facts::LoopBounds},
                                      in_isolation);
    if (!isolated) return isolated.as_failure();
    std::optional<PipelinePair> without_backlog;
    if (uses_memory_queue(kernel)) {
        without_backlog = std::move(pipelines);
        pipelines = pipelines_for(without_queues(kernel, longest_lags(kernel, launch.shape)));
    }
    const LaunchGeometry shape =
        launch.shape.waves() == 1 ? launch.shape.full_multiprocessor() : launch.shape;
    return StrictOrder{shape,
                       common.value().most,
                       std::move(pipelines),
                       std::move(isolated).value(),
                       memory.has_queueing(),
                       std::move(without_backlog)};
}

struct StrictOrderBound {
    SideAnswer answer;
    std::vector<BoundTerm> counted; ///< Of all cases, those of zero cycles included.
};

/// The bound of the worst case. `cases`: the terms of each, without those of the drains.
StrictOrderBound worst_with_drains(const TimedKernel& kernel, const AnalysisRun& run,
                                   const StrictOrder& order, const std::string& text,
                                   std::vector<std::vector<BoundTerm>> cases) {
    const std::vector<BoundTerm> drains = terms_of_drains(kernel, order.shape, run);
    StrictOrderBound bound{order.isolated, {}};
    std::vector<BoundExpression> sums;
    for (std::vector<BoundTerm>& terms : cases) {
        terms.insert(terms.end(), drains.begin(), drains.end());
        bound.counted.insert(bound.counted.end(), terms.begin(), terms.end());
        std::erase_if(terms,
                      [](const BoundTerm& term) { return term.count == 0 || term.cycles == 0; });
        BoundExpression& sum = sums.emplace_back();
        sum.text = text;
        if (cases.size() > 1) sum.text += sums.size() == 1 ? ", one warp fewer" : ", all warps";
        sum.terms = std::move(terms);
    }
    SideResult& execution = bound.answer.execution;
    execution.proof = Proof::ResponseTime;
    execution.best_found.reset();
    set_bound(execution, worst_of(Side::Upper, std::move(sums)));
    return bound;
}

StrictOrderBound by_rotations_or_warps(const TimedKernel& kernel, const AnalysisRun& run,
                                       const StrictOrder& order, const RoundRobinDelay& times) {
    std::vector<std::vector<BoundTerm>> cases;
    for (const RotationPath& path : order.paths(times.turns()))
        cases.push_back(times.terms(path));
    return worst_with_drains(kernel, run, order, "rotations, or warps one after another",
                             std::move(cases));
}

/// Side: upper. The simulated time of warps with a single path, and their stalls by warps of other
/// schedulers.
std::optional<StrictOrderBound> simulated_from_above(const TimedKernel& kernel,
                                                     const AnalysisRun& run,
                                                     const StrictOrder& order,
                                                     const RoundRobinDelay& times) {
    // The simulation contains neither queueing delay nor memory queues nor the stages in front of
    // the units.
    if (!order.is_one_wave_without_barriers() || order.has_queueing || kernel.registers.reads ||
        uses_memory_queue(kernel))
        return std::nullopt;
    std::vector<std::vector<BoundTerm>> cases;
    for (const RotationPath& path : order.paths(times.turns())) {
        const auto simulated = unless_stopped([&] {
                                   return time_in_strict_order(kernel, order.shape.issue_slot,
                                                               path.warps, Side::Upper);
                               }).value_or(std::nullopt);
        if (!simulated) return std::nullopt;
        cases.push_back(
            {{strict_order, 1, simulated->count()}, times.demand_of_other_schedulers(path)});
    }
    StrictOrderBound bound =
        worst_with_drains(kernel, run, order, "the only schedule", std::move(cases));
    SideResult& execution = bound.answer.execution;
    if (execution.terms.size() > 1) return bound;
    execution.proof = Proof::ScheduleExploration;
    execution.outcome = Outcome::Optimal;
    return bound;
}

/// Each term is a number of the launch or has a certificate. Those of the smallest bound are kept,
/// which comes first.
Alternatives strict_order_alternatives(const TimedKernel& kernel, const AnalysisRun& run,
                                       const StrictOrder& order) {
    const RoundRobinDelay times{kernel, order.shape, run, order.warps()};
    StrictOrderBound first = by_rotations_or_warps(kernel, run, order, times);
    auto second = simulated_from_above(kernel, run, order, times);
    if (second && second->answer.execution.proved <= first.answer.execution.proved)
        std::swap(first, *second);
    keep_counted_certificates(run, first.counted);
    Alternatives all{std::move(first.answer)};
    if (second) all.push_back(std::move(second->answer));
    return all;
}

/// Side: lower. The simulated time of warps with a single path.
std::optional<SideAnswer> simulated_from_below(const TimedKernel& kernel,
                                               const LaunchGeometry& shape,
                                               const SideAnswer& any_policy) {
    if (shape.waves() > 1 || kernel.registers.reads || uses_memory_queue(kernel))
        return std::nullopt;
    const auto simulated =
        unless_stopped([&] {
            return time_in_strict_order(
                kernel, shape.issue_slot,
                shape.on_one_scheduler(shape.share() * shape.warps_per_block), Side::Lower);
        }).value_or(std::nullopt);
    if (!simulated) return std::nullopt;
    SideAnswer answer =
        explored_schedules(any_policy, "the only schedule", {strict_order, 1, simulated->count()});
    answer.execution.bound.has_evidence = true;
    return answer;
}

class StrictRoundRobin final : public Policy {
public:
    [[nodiscard]] Result<Alternatives> from_above(const AnalysisContext& context,
                                                  Wanted /*wanted*/) const override {
        const auto order =
            strict_order_of(context.kernel, context.launch, context.memory, context.run);
        if (!order) return order.as_failure();
        return strict_order_alternatives(context.kernel, context.run, order.value());
    }

    [[nodiscard]] Result<Alternatives> from_below(const AnalysisContext& context,
                                                  SideAnswer any_policy, Deadline /*deadline*/,
                                                  Wanted /*wanted*/) const override {
        Alternatives all{std::move(any_policy)};
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
