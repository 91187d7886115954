#include "analyzer/flow/loop_bounds.hpp"

#include "analyzer/value/block_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;

/// An arithmetic progression: first + k * step in iteration k = 0, 1, .., modulo 2^32.
struct Progression {
    AffineExpression first;
    std::uint32_t step = 0;

    [[nodiscard]] std::uint32_t at(std::int64_t iteration) const {
        return first.constant() + static_cast<std::uint32_t>(iteration) * step;
    }
};

/// A branch or EXIT that every iteration reaches and that may leave the loop.
struct LoopExit {
    std::int64_t address = 0;
    bool leaves_when = true; ///< It leaves the loop when the comparison has this value.
    Comparison comparison;
};

class LoopBoundAnalysis {
public:
    LoopBoundAnalysis(const Function& function, const ControlFlowGraph& graph,
                      const BlockStates& run, std::size_t loop, Convergence convergence)
        : function_{function}, graph_{graph},
          run_states_{run}, index_{loop}, loop_{graph.loops[loop]},
          iteration_states_{block_states_of_iteration(function, graph, loop_, convergence)} {}

    std::optional<DerivedLoop> bound() const {
        std::optional<DerivedLoop> derived;
        for (const std::size_t block : loop_.blocks) {
            const auto exit = exit_of(block);
            if (!exit) continue;
            const auto iteration = leaves_in(*exit);
            if (!iteration || (derived && derived->max <= *iteration + 1)) continue;
            derived = DerivedLoop{1, *iteration + 1, reason_of(*exit, *iteration)};
        }
        if (derived && exit_count() == 1) derived->min = derived->max;
        return derived;
    }

private:
    /// Number of edges that leave the loop plus EXITs inside it.
    [[nodiscard]] std::size_t exit_count() const {
        const auto exits =
            std::count_if(loop_.blocks.begin(), loop_.blocks.end(),
                          [&](std::size_t block) { return graph_.blocks[block].exits; });
        return loop_.exit_edges.size() + static_cast<std::size_t>(exits);
    }

    [[nodiscard]] bool in_every_iteration(std::size_t block) const {
        return graph_.innermost_loop[block] == index_ &&
               std::all_of(loop_.back_edges.begin(), loop_.back_edges.end(), [&](std::size_t edge) {
                   return graph_.dominates(block, graph_.edges[edge].from);
               });
    }

    [[nodiscard]] bool leaves(std::size_t edge) const {
        return std::find(loop_.exit_edges.begin(), loop_.exit_edges.end(), edge) !=
               loop_.exit_edges.end();
    }

    [[nodiscard]] std::optional<LoopExit> exit_of(std::size_t block) const {
        if (!iteration_states_[block] || !in_every_iteration(block)) return std::nullopt;
        const auto decision = decision_of(function_, graph_, *iteration_states_[block], block);
        if (!decision) return std::nullopt;
        const auto comparison = decision->when.comparison();
        if (!comparison) return std::nullopt;
        const auto outside = [&](const std::optional<std::size_t>& edge) {
            return !edge || leaves(*edge);
        };
        if (outside(decision->taken) == outside(decision->otherwise)) return std::nullopt;
        const Instruction& last = function_.instructions[graph_.blocks[block].last];
        return LoopExit{last.address, outside(decision->taken), *comparison};
    }

    /// The value of the symbol's register at the loop's entry, and its increment per iteration.
    [[nodiscard]] std::optional<Progression> progression_of(Symbol symbol) const {
        const auto reg = register_of(symbol);
        if (!reg) return Progression{AffineExpression::of(symbol), 0};
        std::optional<std::uint32_t> step;
        for (const std::size_t edge : loop_.back_edges) {
            const auto& end = iteration_states_[graph_.edges[edge].from];
            if (!end) continue;
            const auto after = end->number(*reg);
            if (!after) return std::nullopt;
            const AffineExpression change = *after - AffineExpression::of(symbol);
            if (!change.is_constant() || (step && *step != change.constant())) return std::nullopt;
            step = change.constant();
        }
        std::optional<AffineExpression> first;
        if (loop_.header == 0)
            first = AffineExpression::of(symbol); // Entered where the function begins.
        for (const std::size_t edge : loop_.entry_edges) {
            const auto& before = run_states_[graph_.edges[edge].from];
            if (!before) continue;
            const auto value = before->number(*reg);
            if (!value || (first && *first != *value)) return std::nullopt;
            first = value;
        }
        if (!step || !first) return std::nullopt;
        return Progression{*first, *step};
    }

    [[nodiscard]] std::optional<Progression> progression_of(const AffineExpression& number) const {
        Progression sum{AffineExpression{number.constant()}, 0};
        for (const auto& [symbol, coefficient] : number.terms()) {
            const auto term = progression_of(symbol);
            if (!term) return std::nullopt;
            sum.first = sum.first + term->first * coefficient;
            sum.step += term->step * coefficient;
        }
        return sum;
    }

    /// The first iteration, counted from 0, in which the exit is taken.
    [[nodiscard]] std::optional<std::int64_t> leaves_in(const LoopExit& exit) const {
        auto left = progression_of(exit.comparison.left);
        auto right = progression_of(exit.comparison.right);
        if (!left || !right) return std::nullopt;
        const bool equality = exit.comparison.comparator == Comparator::Equal ||
                              exit.comparison.comparator == Comparator::NotEqual;
        if (equality) { // Only the difference matters.
            *left = Progression{left->first - right->first, left->step - right->step};
            *right = Progression{};
        }
        if (!left->first.is_constant() || !right->first.is_constant()) return std::nullopt;
        const bool constant = left->step == 0 && right->step == 0;
        for (std::int64_t iteration = 0; iteration < (constant ? 1 : derived_iterations_limit);
             ++iteration)
            if (exit.comparison.holds(left->at(iteration), right->at(iteration)) ==
                exit.leaves_when)
                return iteration;
        return std::nullopt;
    }

    [[nodiscard]] std::string reason_of(const LoopExit& exit, std::int64_t iteration) const {
        const auto series = [&](const AffineExpression& number) {
            const auto progression = progression_of(number);
            if (!progression->first.is_constant()) return std::string{"an input"};
            const auto value = [&](std::int64_t k) {
                return exit.comparison.is_signed
                           ? fmt::format("{}", static_cast<std::int32_t>(progression->at(k)))
                           : fmt::format("{}", progression->at(k));
            };
            if (progression->step == 0) return value(0);
            return fmt::format("{}, {}, {}, ..", value(0), value(1), value(2));
        };
        return fmt::format("the exit at 0x{:04x} is taken in iteration {}; it compares {} with {}",
                           exit.address, iteration + 1, series(exit.comparison.left),
                           series(exit.comparison.right));
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    const BlockStates& run_states_;
    std::size_t index_;
    const assembly::Loop& loop_;
    BlockStates iteration_states_;
};

} // namespace

std::vector<std::optional<DerivedLoop>>
derive_loops(const Function& function, const ControlFlowGraph& graph, Convergence convergence) {
    std::vector<std::optional<DerivedLoop>> derived(graph.loops.size());
    if (graph.loops.empty()) return derived;
    const BlockStates run = block_states_of_run(function, graph, convergence);
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop)
        derived[loop] = LoopBoundAnalysis{function, graph, run, loop, convergence}.bound();
    return derived;
}

std::map<std::int64_t, DerivedLoop>
bounds_in_every_context(const ControlFlowGraph& graph,
                        const std::vector<std::optional<DerivedLoop>>& derived,
                        const std::vector<bool>& reached) {
    std::map<std::int64_t, DerivedLoop> bounds;
    std::set<std::int64_t> unbounded;
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop) {
        if (!reached.empty() && !reached[graph.loops[loop].header]) continue;
        const std::int64_t address = graph.blocks[graph.loops[loop].header].address;
        if (!derived[loop]) {
            unbounded.insert(address);
            continue;
        }
        DerivedLoop& bound = bounds.emplace(address, *derived[loop]).first->second;
        bound.min = std::min(bound.min, derived[loop]->min);
        bound.max = std::max(bound.max, derived[loop]->max);
    }
    for (const std::int64_t address : unbounded)
        bounds.erase(address);
    return bounds;
}

} // namespace warpbound::analyzer
