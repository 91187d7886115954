#include "analyzer/launch/path_bound.hpp"

#include "analyzer/microarchitecture/delay_graph.hpp"
#include "analyzer/microarchitecture/state_graph.hpp"
#include "analyzer/path/constrained_paths.hpp"
#include "analyzer/path/infeasible_pairs.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbound::analyzer {

namespace {

/// How many nodes of the path graph a block may have: all in small kernels, few in large ones and
/// where the solver has to see many blocks.
std::size_t affordable_nodes(const TimedKernel& kernel) {
    const auto& graph = *kernel.graph;
    const auto blocks = static_cast<double>(std::max<std::size_t>(1, graph.blocks.size()));
    double terms = 1;
    for (const auto& fact : kernel.facts.in_use.constraints)
        if (!is_encodable(graph, fact)) terms += static_cast<double>(fact.terms.size());
    constexpr std::size_t most_of_a_block = 96;
    constexpr double nodes = 40'000;
    constexpr double solver_edges = 4'000; // of which a block has the square of its nodes
    const double most = std::min(nodes / blocks, std::sqrt(solver_edges / terms));
    return std::clamp<std::size_t>(static_cast<std::size_t>(most), 1, most_of_a_block);
}

Failure contradiction(const TimedKernel& kernel) {
    const models::FlowFacts& stated = *kernel.stated;
    std::string lines;
    const auto add = [&](const models::FactSource& from) {
        if (from.line > 0) lines += (lines.empty() ? "" : ", ") + std::to_string(from.line);
    };
    for (const auto& fact : stated.loops)
        add(fact.from);
    for (const auto& fact : stated.nevers)
        add(fact.from);
    for (const auto& fact : stated.exclusives)
        add(fact.from);
    for (const auto& fact : stated.constraints)
        add(fact.from);
    if (stated.representative) add(stated.representative->from);
    return Failure{fmt::format("the flow facts contradict each other or the code: no path of {} "
                               "from its entry to an EXIT "
                               "satisfies all of them{}",
                               kernel.function->name,
                               lines.empty() ? "" : " (lines " + lines + ")"),
                   stated.name};
}

/// Blocks of no run: those that are never executed, and those that no path to an exit passes.
PerBlock<bool> blocks_of_no_run(const assembly::ControlFlowGraph& graph,
                                const PerBlock<bool>& never) {
    PerBlock<bool> without(graph.blocks.size(), true);
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = without.size(); i-- > 0;) { // Exits come last in the order of blocks.
            const BlockIndex block{i};
            if (!without[block] || never[block]) continue;
            const assembly::BasicBlock& code = block_at(graph, block);
            const bool leads_on =
                std::any_of(code.out.begin(), code.out.end(), [&](std::size_t edge) {
                    return !without[to_block(graph.edges[edge])];
                });
            if (!code.exits && !leads_on) continue;
            without[block] = false;
            changed = true;
        }
    }
    return without;
}

/// The deadline, or that of the scope if it comes first.
Deadline earlier(const Deadline& deadline) {
    const Deadline of_scope = current_stop().deadline();
    if (!deadline || !of_scope) return deadline ? deadline : of_scope;
    return std::min(*deadline, *of_scope);
}

} // namespace

namespace {

/// Instructions that no path has delay no grant.
std::optional<RegisterReads> reads_on_paths(const TimedKernel& kernel) {
    std::optional<RegisterReads> reads = kernel.registers.reads;
    for (std::size_t i = 0; reads && i < kernel.used.size(); ++i)
        if (!kernel.used[i]) reads->has_fixed_latency[i] = false;
    return reads;
}

} // namespace

PipelinePair pipelines_of(const TimedKernel& kernel, std::int64_t buffer_entries,
                          const models::Interval& buffer_drain,
                          const std::vector<SlotDistance>& slots, bool stages_in_state) {
    const std::optional<RegisterReads> reads = reads_on_paths(kernel);
    const IssueStages stages{.reads = reads ? &*reads : nullptr,
                             .writes =
                                 kernel.registers.writes ? &*kernel.registers.writes : nullptr,
                             .in_state = stages_in_state};
    const auto rules = [&](Side side) {
        return PipelineModel{*kernel.function,
                             *kernel.architecture,
                             kernel.timings,
                             buffer_entries,
                             buffer_drain,
                             side,
                             slots,
                             stages};
    };
    return {rules(Side::Lower), rules(Side::Upper)};
}

PathGraph path_graph_of(const TimedKernel& kernel, const PipelinePair& rules, Side side,
                        const PathSpan& of, std::optional<std::size_t> nodes_per_block) {
    const auto& graph = *kernel.graph;
    const std::size_t limit =
        std::min(affordable_nodes(kernel), nodes_per_block.value_or(SIZE_MAX));
    if (side == Side::Lower) return build_state_graph(graph, rules.lower, of.never, limit, of.span);
    PathGraph paths =
        build_delay_graph(graph, rules.upper,
                          outstanding(graph, rules.lower, rules.upper, of.never, of.span, of.from),
                          of.never, limit, of.span);
    if (kernel.delivery.lines) add_first_waits_of_loops(graph, *kernel.delivery.lines, paths);
    return paths;
}

PathGraph path_graph_of(const TimedKernel& kernel, const PipelinePair& rules, Side side,
                        std::optional<std::size_t> nodes_per_block) {
    const PathSpan whole{kernel.facts.never, whole_run(*kernel.graph, rules.of(side)),
                         rules.start()};
    return path_graph_of(kernel, rules, side, whole, nodes_per_block);
}

PathGraph prefix_graph_of(const TimedKernel& kernel, const PipelinePair& rules,
                          const std::vector<std::int64_t>& demand,
                          std::optional<std::size_t> nodes_per_block) {
    const auto& graph = *kernel.graph;
    const PerBlock<bool>& never = kernel.facts.never;
    const Span span = whole_run(graph, rules.upper);
    PathGraph paths = build_prefix_delay_graph(
        graph, rules.upper,
        outstanding(graph, rules.lower, rules.upper, never, span, rules.start()),
        blocks_of_no_run(graph, never),
        std::min(affordable_nodes(kernel), nodes_per_block.value_or(SIZE_MAX)), span, demand);
    if (kernel.delivery.lines) add_first_waits_of_loops(graph, *kernel.delivery.lines, paths);
    return paths;
}

std::vector<BackEdgeBounds> loops_of_paths(std::vector<BackEdgeBounds> loops, PathEnds ends) {
    if (ends == PathEnds::AnyIssue)
        for (BackEdgeBounds& bounds : loops)
            bounds.min = 0;
    return loops;
}

Result<PathSolution> solve_paths(const TimedKernel& kernel, const AnalysisRun& run,
                                 const PathGraph& paths, const PathQuery& query) {
    PathSolution solution;
    if (query.facts == Facts::All && has_further_facts(kernel.facts.in_use)) {
        constexpr double share = 0.7; // What is left bounds the path by loop bounds alone.
        auto solved = unless_stopped(
            [&] {
                return solve_with_facts(*kernel.graph, paths, kernel.facts.loops,
                                        kernel.facts.in_use, query.side, earlier(run.deadline),
                                        run.seed);
            },
            share);
        if (solved) {
            if (!solved->feasible) return contradiction(kernel);
            solution.bound = solved->bound;
            solution.proof = solved->proof;
            if (!solved->optimal) solution.outcome = Outcome::LimitReached;
            solution.solver_used = solved->solver_used;
            solution.witness = std::move(solved->witness);
            return solution;
        }
        solution.outcome = Outcome::LimitReached;
    }
    const std::vector<BackEdgeBounds> loops = loops_of_paths(kernel.facts.loops, query.ends);
    solution.witness = LoopBoundedPaths{*kernel.graph, paths, loops, query.side}.start_to_end();
    if (!solution.witness) return contradiction(kernel);
    solution.bound = models::Cycles{solution.witness->cost};
    return solution;
}

SideAnswer explored_schedules(const SideAnswer& path, std::string text, BoundTerm term) {
    BoundExpression sum;
    sum.text = std::move(text);
    sum.terms.push_back(std::move(term));
    sum.has_evidence = false;
    SideAnswer answer = path;
    set_bound(answer.execution, std::move(sum));
    answer.execution.proof = Proof::ScheduleExploration;
    answer.execution.outcome = Outcome::Optimal;
    answer.execution.best_found.reset();
    return answer;
}

bool has_evidence(const SideAnswer& answer, Side side) {
    return with_evidence(answer.execution.bound, side).has_value();
}

SideAnswer best_of(Side side, Alternatives alternatives, bool evidence_only) {
    SideAnswer* best = nullptr;
    std::vector<BoundExpression> bounds;
    std::int64_t nodes = 0;
    bool solver_used = false;
    for (SideAnswer& one : alternatives) {
        bounds.push_back(one.execution.bound);
        nodes = std::max(nodes, one.nodes);
        solver_used = solver_used || one.solver_used;
        if (evidence_only) {
            auto shown = with_evidence(one.execution.bound, side);
            if (!shown) continue;
            if (value_of(*shown) != one.execution.proved)
                set_bound(one.execution, std::move(*shown));
        }
        if (best == nullptr) {
            best = &one;
            continue;
        }
        const bool is_better = side == Side::Upper ? one.execution.proved < best->execution.proved
                                                   : best->execution.proved < one.execution.proved;
        const bool is_equal = one.execution.proved == best->execution.proved;
        if (is_better || (is_equal && has_evidence(one, side) && !has_evidence(*best, side)))
            best = &one;
    }
    SideAnswer answer = std::move(*best);
    answer.nodes = nodes;
    answer.solver_used = solver_used;
    answer.execution.bound = best_of(side, std::move(bounds));
    return answer;
}

} // namespace warpbound::analyzer
