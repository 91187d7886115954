#include "analyzer/policies/work_conserving.hpp"

#include "analyzer/policies/two_level.hpp"
#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/critical_path.hpp"
#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/microarchitecture/path_replay.hpp"

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
Work all_work(const Problem& problem) {
    Work work{cost_to_same_scheduler(problem), cost_to_other_schedulers(problem),
              drain_costs(problem, Side::Upper)};
    if (conserves_work(problem.request, problem.shape)) return work;
    work.inside = waits_in_active_set(problem);
    work.held = port_times(problem);
    for (std::int64_t& held : work.held)
        held = std::max<std::int64_t>(0, held - problem.shape.issue_slot.lo);
    return work;
}

/// In loose round robin every other warp is chosen at most once while a warp may issue; what keeps
/// it from being able to also lets the others pass (S27).
Work work_beside_turns(const Problem& problem) {
    const LaunchShape& shape = problem.shape;
    const std::int64_t resident = shape.resident * shape.warps_per_block;
    const std::int64_t on_scheduler = shape.on_one_scheduler(resident);
    const bool is_only_scheduler = on_scheduler == resident;
    const models::Cycles turn = models::Cycles{shape.issue_slot.hi} * (on_scheduler - 1);
    const auto with_turn = [&](std::int64_t cycles) {
        return (models::Cycles{cycles} + turn).count();
    };
    Work work = all_work(problem);
    work.turns_of = on_scheduler;
    work.turn = turn.count();
    const InstructionCosts ports = port_times(problem);
    InstructionCosts entering(ports.size(), 0);
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const bool of_others = !is_only_scheduler && work.other[i] > 0;
        work.other[i] = of_others ? with_turn(ports[i]) : 0;
        // Never less than of others: how many are on another scheduler is not fixed.
        const bool outlasts = of_others || ports[i] > shape.issue_slot.lo;
        work.same[i] = outlasts ? with_turn(ports[i]) : 0;
        entering[i] = enters_write_buffer(problem, i) ? 1 : 0;
    }
    const models::Cycles stores = models::Cycles{most_on_a_path(problem, entering)} * shape.warps();
    if (stores > models::Cycles{problem.buffer_entries.lo})
        for (std::size_t i = 0; i < ports.size(); ++i)
            if (entering[i] > 0) work.drain[i] = with_turn(work.drain[i]);
    return work;
}

/// The chain's own time on a path, less what counts among all work.
PathGraph less_own_work(const Problem& problem, const Work& work, PathGraph paths) {
    InstructionCosts less = work.same;
    for (std::size_t i = 0; i < less.size(); ++i)
        less[i] = (models::Cycles{less[i]} - models::Cycles{work.turn}).count();
    return without_work(std::move(paths), block_costs(problem, less));
}

/// What all bounds of a launch from above follow.
struct Chains {
    SidePair rules;
    PathGraph paths;
    std::int64_t barriers = 0; ///< Of a block, on every path.
};

/// The answer is without its witness.
struct Bounded {
    SideAnswer answer;
    std::optional<BlockPath> witness;
};

Result<Bounded> bound_by_work(const Problem& problem, const Work& work, const Chains& chains,
                              Deadline deadline) {
    Interference cost;
    cost.turns_of = work.turns_of;
    const auto name = [&](const char* sum, const char* text) {
        return LemmaName{lemma_id(sum, cost.turns_of),
                         std::string{text} + (cost.turns_of > 0 ? ", in loose round robin" : "")};
    };
    cost.same = most_by_lemma(
        problem,
        name("same", "issue slots and ports that a warp takes from those of its scheduler"),
        work.same);
    cost.other = most_by_lemma(
        problem, name("other", "ports that a warp takes from those of other schedulers"),
        work.other);
    if (changes_scheduler(problem.shape, chains.barriers)) {
        InstructionCosts beyond = work.same;
        for (std::size_t i = 0; i < beyond.size(); ++i)
            beyond[i] -= work.other[i];
        cost.part = most_by_lemma(
            problem,
            name("part", "what a warp takes between two barriers from those of its scheduler, "
                         "beyond what it takes from all"),
            part_paths(problem, beyond));
    }
    cost.drain =
        most_by_lemma(problem, name("drain", "drains of the stores of a warp"), work.drain);
    if (!work.inside.empty()) {
        cost.active = problem.request.policy.active;
        cost.inside = most_by_lemma(
            problem, name("inside", "waits of a warp that do not make it leave the active set"),
            work.inside);
        cost.held = most_by_lemma(
            problem, name("held", "ports that a warp holds beyond its issue slots"), work.held);
    }
    cost.straddle = largest(work.same);
    // The slot of the warp that was in the place before may run when a block begins there.
    if (work.turns_of > 0)
        cost.straddle =
            (models::Cycles{cost.straddle} + models::Cycles{problem.shape.issue_slot.hi - 1})
                .count();
    cost.windows_of_block = chains.barriers + 1;
    cost.left_in_buffer = (models::Cycles{largest(work.drain)} * problem.buffer_entries.hi).count();

    // At a barrier the chain may go over to another warp; facts about whole paths do not follow it.
    const Facts facts = chains.barriers > 0 ? Facts::LoopBounds : Facts::All;
    auto solved = solve_paths(problem, less_own_work(problem, work, chains.paths), Side::Upper,
                              facts, deadline);
    if (!solved) return solved.as_failure();
    solved = record(
        problem, name("stall", "time to completion of one warp less its own work"), Side::Upper,
        facts, std::move(solved).value(), [&](std::optional<std::size_t> nodes) {
            return less_own_work(problem, work,
                                 path_graph_of(problem, chains.rules, Side::Upper, nodes));
        });
    cost.stall = std::max<std::int64_t>(0, solved.value().bound);

    SideAnswer answer;
    answer.nodes = static_cast<std::int64_t>(chains.paths.nodes.size());
    answer.solver_used = solved.value().solver_used;
    SideResult& execution = answer.execution;
    execution.terms = upper_terms(problem.shape, cost);
    execution.proved = sum_of(execution.terms);
    execution.proof = Proof::ResponseTime;
    execution.outcome = solved.value().outcome;
    return Bounded{std::move(answer), std::move(solved.value().witness)};
}

/// Those that only the other bound rests on.
void drop_lemmas(const Problem& problem, std::int64_t turns_of) {
    if (problem.request.proofs == nullptr) return;
    std::erase_if(problem.request.proofs->lemmas, [&](const PathLemma& lemma) {
        return std::any_of(std::begin(sums_of_a_warp), std::end(sums_of_a_warp),
                           [&](const char* sum) { return lemma.id == lemma_id(sum, turns_of); });
    });
}

} // namespace

Result<SideAnswer> bound_many_from_above(const Problem& problem, Deadline deadline) {
    std::int64_t barriers = 0;
    if (problem.shape.warps_per_block > 1) {
        const auto common = common_barriers(problem);
        if (!common) return common.as_failure();
        barriers = common.value();
    }
    // The write buffer counts on its own: here it never delays.
    const SidePair rules = rules_of(problem, 1, {0, 0, 0});
    const Chains chains{rules, path_graph_of(problem, rules, Side::Upper), barriers};
    auto bounded = bound_by_work(problem, all_work(problem), chains, deadline);
    if (!bounded) return bounded.as_failure();
    // Turns do not bound who passes while the caches keep a load waiting.
    if (problem.request.policy.kind == models::PolicyKind::LooseRoundRobin && !problem.caches) {
        const Work work = work_beside_turns(problem);
        auto by_turns = bound_by_work(problem, work, chains, deadline);
        if (!by_turns) return by_turns.as_failure();
        SideAnswer& better = by_turns.value().answer;
        const bool is_better = better.execution.proved < bounded.value().answer.execution.proved;
        drop_lemmas(problem, is_better ? 0 : work.turns_of);
        if (is_better) {
            better.solver_used = better.solver_used || bounded.value().answer.solver_used;
            better.in_turns = true;
            bounded = std::move(by_turns);
        }
    }
    SideResult& execution = bounded.value().answer.execution;
    if (bounded.value().witness)
        describe_witness(*problem.request.function, *problem.request.graph, rules.upper,
                         *bounded.value().witness, execution);
    execution.best_found.reset();
    return std::move(bounded.value().answer);
}

Result<SideAnswer> bound_many_from_below(const Problem& problem, const SidePair& rules,
                                         SideAnswer alone) {
    const LaunchShape& shape = problem.shape;
    const models::Architecture& architecture = *problem.request.architecture;
    const auto least = [&](const LemmaName& name, const InstructionCosts& costs) {
        const auto of_blocks = block_costs(problem, costs);
        record_sum(problem, name, of_blocks, Side::Lower);
        return extreme_sum(problem, of_blocks, Side::Lower);
    };
    // Some multiprocessor has at least its share of the blocks, and some scheduler of the warps.
    const std::int64_t warps = shape.share() * shape.warps_per_block;
    const std::int64_t share = shape.on_one_scheduler(warps);
    std::vector<std::vector<BoundTerm>> ways;
    ways.push_back({{"one warp alone", 1, alone.execution.proved.count(), "execution-time-lower"}});
    if (shape.waves() > 1) {
        Span span = whole_run(*problem.request.graph, rules.lower);
        span.ends_at_exit = true;
        const auto paths = [&](std::optional<std::size_t> nodes) {
            return path_graph_of(problem, rules, Side::Lower, problem.facts.never, span,
                                 rules.start(), nodes);
        };
        const auto residence =
            solve_paths(problem, paths(std::nullopt), Side::Lower, Facts::LoopBounds, std::nullopt);
        if (!residence) return residence.as_failure();
        record(problem, {"execution-time-lower-residence", "time to the last EXIT of one warp"},
               Side::Lower, Facts::LoopBounds, residence.value(), paths);
        ways.front().push_back({"blocks that ran before in the same slot", shape.waves() - 1,
                                residence.value().bound, "execution-time-lower-residence"});
        ways.front().push_back(
            {"replacement and start of a block", shape.waves() - 1, shape.refill.lo});
    }
    const LemmaName slots{"execution-time-lower-slots", "issue slots of a warp"};
    ways.push_back({{"issue slots of a warp on the scheduler with most work", share,
                     least(slots, issue_slot_costs(problem)), slots.id},
                    {"the last issue slot need not be over", 1, 1 - shape.issue_slot.lo}});
    const LemmaName drains{"execution-time-lower-drain", "drains of the stores of a warp"};
    ways.push_back({{"drains of the stores of a warp", warps,
                     least(drains, drain_costs(problem, Side::Lower)), drains.id}});
    for (std::size_t unit = 0; unit < architecture.units.size(); ++unit) {
        const models::UnitScope scope = architecture.units[unit].scope;
        if (scope == models::UnitScope::Warp) continue;
        const InstructionCosts costs = port_costs(problem, unit);
        const LemmaName port{"execution-time-lower-port-" + architecture.units[unit].name,
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
