#include "analyzer/many_warps.hpp"

#include "analyzer/common_barriers.hpp"
#include "analyzer/interference.hpp"
#include "analyzer/proof.hpp"
#include "analyzer/warp_work.hpp"
#include "analyzer/witness.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::analyzer {

namespace {

std::int64_t largest(const InstructionCosts& costs) {
    return costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
}

} // namespace

Result<SideAnswer> bound_many_from_above(const Problem& problem, Deadline deadline) {
    const LaunchShape& shape = problem.shape;
    std::int64_t barriers = 0;
    if (shape.warps_per_block > 1) {
        const auto common = common_barriers(problem);
        if (!common) return common.as_failure();
        barriers = common.value();
    }
    const InstructionCosts same = cost_to_same_scheduler(problem);
    const InstructionCosts other = cost_to_other_schedulers(problem);
    const auto work = block_costs(problem, same);
    const auto most = [&](const LemmaName& name, const std::vector<std::int64_t>& costs) {
        record_sum(problem, name, costs, Side::Upper);
        return extreme_sum(problem, costs, Side::Upper);
    };
    Interference cost;
    cost.same = most({"execution-time-upper-same",
                      "issue slots and ports that a warp takes from those of its scheduler"},
                     work);
    cost.other = most(
        {"execution-time-upper-other", "ports that a warp takes from those of other schedulers"},
        block_costs(problem, other));
    cost.drain = most({"execution-time-upper-drain", "drains of the stores of a warp"},
                      block_costs(problem, drain_costs(problem, Side::Upper)));
    cost.straddle = largest(same);
    cost.windows_of_block = barriers + 1;
    cost.left_in_buffer =
        (models::Cycles{largest(drain_costs(problem, Side::Upper))} * problem.buffer_entries.hi)
            .count();

    // The write buffer counts on its own: here it never delays.
    const SidePair rules = rules_of(problem, 1, {0, 0, 0});
    const PathGraph paths = path_graph_of(problem, rules, Side::Upper);
    // At a barrier the chain may go over to another warp; facts about whole paths do not follow it.
    const Facts facts = barriers > 0 ? Facts::LoopBounds : Facts::All;
    auto solved = solve_paths(problem, without_work(paths, work), Side::Upper, facts, deadline);
    if (!solved) return solved.as_failure();
    solved = record(
        problem, {"execution-time-upper-stall", "time to completion of one warp less its own work"},
        Side::Upper, facts, std::move(solved).value(), [&](std::optional<std::size_t> nodes) {
            return without_work(path_graph_of(problem, rules, Side::Upper, nodes), work);
        });
    cost.stall = std::max<std::int64_t>(0, solved.value().bound);

    SideAnswer answer;
    answer.nodes = static_cast<std::int64_t>(paths.nodes.size());
    answer.solver_used = solved.value().solver_used;
    SideResult& execution = answer.execution;
    execution.terms = upper_terms(shape, cost);
    execution.proved = sum_of(execution.terms);
    execution.proof = Proof::ResponseTime;
    execution.outcome = solved.value().outcome;
    if (solved.value().witness)
        describe_witness(*problem.request.function, *problem.request.graph, rules.upper,
                         *solved.value().witness, execution);
    execution.best_found.reset();
    return answer;
}

Result<SideAnswer> bound_many_from_below(const Problem& problem, const SidePair& rules,
                                         SideAnswer alone) {
    const LaunchShape& shape = problem.shape;
    const models::Architecture& architecture = *problem.request.architecture;
    const auto least = [&](const LemmaName& name, const InstructionCosts& costs) {
        record_sum(problem, name, block_costs(problem, costs), Side::Lower);
        return extreme_sum(problem, block_costs(problem, costs), Side::Lower);
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
