#include "analyzer/policies/work_conserving.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/interference/critical_path.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/microarchitecture/path_replay.hpp"
#include "analyzer/policies/two_level.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

std::int64_t largest(const InstructionCosts& costs) {
    return costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
}

/// What counts of the others' instructions, per instruction. `Unit:` core cycles.
struct Work {
    InstructionCosts same;
    InstructionCosts other;
    InstructionCosts drain;
    std::int64_t turns_of = 0; ///< Warps of a scheduler that take turns; 0: not by turns.
    std::int64_t turn = 0;     ///< Of the others, before each choice of the chain.
    /// Where warps may stand outside an active set, what they wait for inside, and ports beyond
    /// issue slots; else none.
    InstructionCosts inside{};
    InstructionCosts held{};
};

/// Whoever is preferred: all that they take.
Work all_work(const AnalysisContext& context) {
    Work work{cost_to_same_scheduler(context), cost_to_other_schedulers(context),
              drain_costs(context, Side::Upper)};
    if (conserves_work(context.request, context.shape)) return work;
    work.inside = delays_in_active_set(context);
    work.held = port_times(context);
    for (std::int64_t& held : work.held)
        held = std::max<std::int64_t>(0, held - context.shape.issue_slot.lo);
    return work;
}

/// In loose round robin every other warp is chosen at most once while a warp may issue; what keeps
/// it from being able to also lets the others pass (S27).
Work work_beside_turns(const AnalysisContext& context) {
    const LaunchGeometry& shape = context.shape;
    const std::int64_t resident = shape.resident * shape.warps_per_block;
    const std::int64_t on_scheduler = shape.on_one_scheduler(resident);
    const bool is_only_scheduler = on_scheduler == resident;
    const models::Cycles turn = models::Cycles{shape.issue_slot.hi} * (on_scheduler - 1);
    const auto with_turn = [&](std::int64_t cycles) {
        return (models::Cycles{cycles} + turn).count();
    };
    Work work = all_work(context);
    work.turns_of = on_scheduler;
    work.turn = turn.count();
    const InstructionCosts ports = port_times(context);
    InstructionCosts entering(ports.size(), 0);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const bool of_others = !is_only_scheduler && work.other[i] > 0;
        work.other[i] = of_others ? with_turn(ports[i]) : 0;
        // Never less than of others: how many are on another scheduler is not fixed.
        const bool outlasts = of_others || ports[i] > shape.issue_slot.lo;
        work.same[i] = outlasts ? with_turn(ports[i]) : 0;
        entering[i] = enters_write_buffer(context, i) ? 1 : 0;
    }
    const models::Cycles stores = models::Cycles{most_on_a_path(context, entering)} * shape.warps();
    if (stores > models::Cycles{context.buffer_entries.lo})
        for (std::size_t i = 0; i < ports.size(); ++i)
            if (entering[i] > 0) work.drain[i] = with_turn(work.drain[i]);
    return work;
}

/// The chain's own time on a path, less what counts among all work.
PathGraph less_own_work(const AnalysisContext& context, const Work& work, PathGraph paths) {
    InstructionCosts less = work.same;
    for (std::size_t i = 0; i < less.size(); ++i)
        less[i] = (models::Cycles{less[i]} - models::Cycles{work.turn}).count();
    return without_resource_demand(std::move(paths), block_costs(context, less));
}

/// What all bounds of a launch from above follow.
struct Chains {
    PipelinePair rules;
    PathGraph paths;
    std::int64_t barriers = 0; ///< Of a block, on every path.
};

/// The answer is without its witness.
struct Bounded {
    SideAnswer answer;
    std::optional<BlockPath> witness;
};

Result<Bounded> bound_by_work(const AnalysisContext& context, const Work& work,
                              const Chains& chains, Deadline deadline) {
    Interference cost;
    cost.turns_of = work.turns_of;
    const auto name = [&](const char* sum, const char* text) {
        return CertificateName{certificate_id(sum, cost.turns_of),
                               std::string{text} +
                                   (cost.turns_of > 0 ? ", in loose round robin" : "")};
    };
    cost.same = certified_most(
        context,
        name("demand-own-scheduler", "issue slots and ports that a warp takes from those of its scheduler"),
        work.same);
    cost.other = certified_most(
        context, name("demand-other-schedulers", "ports that a warp takes from those of other schedulers"),
        work.other);
    if (changes_scheduler(context.shape, chains.barriers)) {
        InstructionCosts beyond = work.same;
        for (std::size_t i = 0; i < beyond.size(); ++i)
            beyond[i] -= work.other[i];
        cost.part = certified_most(
            context,
            name("barrier-interval", "what a warp takes between two barriers from those of its scheduler, "
                         "beyond what it takes from all"),
            barrier_interval_paths(context, beyond));
    }
    cost.drain =
        certified_most(context, name("drain", "drains of the stores of a warp"), work.drain);
    if (!work.inside.empty()) {
        cost.active = context.request.policy.active;
        cost.inside = certified_most(
            context, name("within-active-set", "waits of a warp that do not make it leave the active set"),
            work.inside);
        cost.held = certified_most(
            context, name("residual-occupancy", "ports that a warp holds beyond its issue slots"), work.held);
    }
    cost.straddle = largest(work.same);
    // The slot of the warp that was in the place before may run when a block begins there.
    if (work.turns_of > 0)
        cost.straddle =
            (models::Cycles{cost.straddle} + models::Cycles{context.shape.issue_slot.hi - 1})
                .count();
    cost.windows_of_block = chains.barriers + 1;
    cost.left_in_buffer = (models::Cycles{largest(work.drain)} * context.buffer_entries.hi).count();

    // At a barrier the chain may go over to another warp; facts about whole paths do not follow it.
    const Facts facts = chains.barriers > 0 ? Facts::LoopBounds : Facts::All;
    auto solved = solve_paths(context, less_own_work(context, work, chains.paths), Side::Upper,
                              facts, deadline);
    if (!solved) return solved.as_failure();
    solved = record(
        context, name("stall", "time to completion of one warp less its own work"), Side::Upper,
        facts, std::move(solved).value(), [&](std::optional<std::size_t> nodes) {
            return less_own_work(context, work,
                                 path_graph_of(context, chains.rules, Side::Upper, nodes));
        });
    cost.stall = std::max<std::int64_t>(0, solved.value().bound);

    SideAnswer answer;
    answer.nodes = static_cast<std::int64_t>(chains.paths.nodes.size());
    answer.solver_used = solved.value().solver_used;
    SideResult& execution = answer.execution;
    execution.terms = upper_terms(context.shape, cost);
    execution.proved = sum_of(execution.terms);
    execution.proof = Proof::ResponseTime;
    execution.outcome = solved.value().outcome;
    return Bounded{std::move(answer), std::move(solved.value().witness)};
}

/// Those that only the other bound rests on.
void drop_lemmas(const AnalysisContext& context, std::int64_t turns_of) {
    if (context.request.proofs == nullptr) return;
    std::erase_if(context.request.proofs->certificates, [&](const PathCertificate& certificate) {
        return std::any_of(
            std::begin(sums_of_a_warp), std::end(sums_of_a_warp),
            [&](const char* sum) { return certificate.id == certificate_id(sum, turns_of); });
    });
}

} // namespace

Result<SideAnswer> bound_work_conserving_from_above(const AnalysisContext& context,
                                                    Deadline deadline) {
    std::int64_t barriers = 0;
    if (context.shape.warps_per_block > 1) {
        const auto common = aligned_barriers(context);
        if (!common) return common.as_failure();
        barriers = common.value();
    }
    // The write buffer counts on its own: here it never delays.
    const PipelinePair rules = pipelines_of(context, 1, {0, 0, 0});
    const Chains chains{rules, path_graph_of(context, rules, Side::Upper), barriers};
    auto bounded = bound_by_work(context, all_work(context), chains, deadline);
    if (!bounded) return bounded.as_failure();
    // Turns do not bound who passes while the caches keep a load waiting.
    if (context.request.policy.kind == models::PolicyKind::LooseRoundRobin && !context.caches) {
        const Work work = work_beside_turns(context);
        auto by_turns = bound_by_work(context, work, chains, deadline);
        if (!by_turns) return by_turns.as_failure();
        SideAnswer& better = by_turns.value().answer;
        const bool is_better = better.execution.proved < bounded.value().answer.execution.proved;
        drop_lemmas(context, is_better ? 0 : work.turns_of);
        if (is_better) {
            better.solver_used = better.solver_used || bounded.value().answer.solver_used;
            better.in_turns = true;
            bounded = std::move(by_turns);
        }
    }
    SideResult& execution = bounded.value().answer.execution;
    if (bounded.value().witness)
        replay_path(*context.request.function, *context.request.graph, rules.upper,
                    *bounded.value().witness, execution);
    execution.best_found.reset();
    return std::move(bounded.value().answer);
}

Result<SideAnswer> bound_work_conserving_from_below(const AnalysisContext& context,
                                                    const PipelinePair& rules, SideAnswer alone) {
    const LaunchGeometry& shape = context.shape;
    const models::Architecture& architecture = *context.request.architecture;
    const auto least = [&](const CertificateName& name, const InstructionCosts& costs) {
        const auto of_blocks = block_costs(context, costs);
        certify_sum(context, name, of_blocks, Side::Lower);
        return extreme_sum(context, of_blocks, Side::Lower);
    };
    // Some multiprocessor has at least its share of the blocks, and some scheduler of the warps.
    const std::int64_t warps = shape.share() * shape.warps_per_block;
    const std::int64_t share = shape.on_one_scheduler(warps);
    std::vector<std::vector<BoundTerm>> ways;
    ways.push_back({{"one warp alone", 1, alone.execution.proved.count(), "execution-time-lower"}});
    if (shape.waves() > 1) {
        Span span = whole_run(*context.request.graph, rules.lower);
        span.ends_at_exit = true;
        const auto paths = [&](std::optional<std::size_t> nodes) {
            return path_graph_of(context, rules, Side::Lower, context.facts.never, span,
                                 rules.start(), nodes);
        };
        const auto residence =
            solve_paths(context, paths(std::nullopt), Side::Lower, Facts::LoopBounds, std::nullopt);
        if (!residence) return residence.as_failure();
        record(context, {"execution-time-lower-residency", "time to the last EXIT of one warp"},
               Side::Lower, Facts::LoopBounds, residence.value(), paths);
        ways.front().push_back({"blocks that ran before in the same slot", shape.waves() - 1,
                                residence.value().bound, "execution-time-lower-residency"});
        ways.front().push_back(
            {"replacement and start of a block", shape.waves() - 1, shape.refill.lo});
    }
    const CertificateName slots{"execution-time-lower-issue-slots", "issue slots of a warp"};
    ways.push_back({{"issue slots of a warp on the scheduler with most work", share,
                     least(slots, issue_slot_costs(context)), slots.id},
                    {"the last issue slot need not be over", 1, 1 - shape.issue_slot.lo}});
    const CertificateName drains{"execution-time-lower-drain", "drains of the stores of a warp"};
    ways.push_back({{"drains of the stores of a warp", warps,
                     least(drains, drain_costs(context, Side::Lower)), drains.id}});
    for (std::size_t unit = 0; unit < architecture.units.size(); ++unit) {
        const models::UnitScope scope = architecture.units[unit].scope;
        if (scope == models::UnitScope::Warp) continue;
        const InstructionCosts costs = port_costs(context, unit);
        const CertificateName port{
            "execution-time-lower-port-" + architecture.units[unit].name,
            fmt::format("use of the port of {}", architecture.units[unit].name)};
        ways.push_back(
            {{fmt::format("port of {}, taken by a warp", architecture.units[unit].name),
              scope == models::UnitScope::Core ? warps : share, least(port, costs), port.id},
             {"its last use need not be over", 1, -largest(costs)}});
    }
    const auto best = std::max_element(ways.begin(), ways.end(), [](const auto& a, const auto& b) {
        return sum_of(a) < sum_of(b);
    });
    alone.execution.terms = *best;
    alone.execution.proved = sum_of(*best);
    if (best != ways.begin() || shape.waves() > 1) alone.execution.proof = Proof::ResponseTime;
    alone.execution.best_found.reset();
    return alone;
}

} // namespace warpbound::analyzer
