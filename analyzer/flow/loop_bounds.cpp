#include "analyzer/flow/loop_bounds.hpp"

#include "analyzer/value/block_states.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;
using assembly::Function;
using assembly::Instruction;

/// A number in turn k = 0, 1, ..: first + k * step, modulo 2^32.
struct Progression {
    AffineExpression first;
    std::uint32_t step = 0;

    [[nodiscard]] std::uint32_t at(std::int64_t turn) const {
        return first.constant() + static_cast<std::uint32_t>(turn) * step;
    }
};

/// Where a loop may be left in every turn.
struct Exit {
    std::int64_t address = 0;
    bool leaves_when = true; ///< Leaves when the comparison is this.
    Comparison comparison;
};

class LoopCounter {
public:
    LoopCounter(const Function& function, const ControlFlowGraph& graph, const BlockStates& whole,
                std::size_t loop, Lanes lanes)
        : function_{function}, graph_{graph}, whole_{whole}, index_{loop}, loop_{graph.loops[loop]},
          body_{values_in_turn(function, graph, loop_, lanes)} {}

    std::optional<DerivedLoop> count() const {
        std::optional<DerivedLoop> derived;
        for (const std::size_t block : loop_.blocks) {
            const auto exit = exit_of(block);
            if (!exit) continue;
            const auto turn = leaves_in(*exit);
            if (!turn || (derived && derived->max <= *turn + 1)) continue;
            derived = DerivedLoop{1, *turn + 1, reason_of(*exit, *turn)};
        }
        if (derived && ways_out() == 1) derived->min = derived->max;
        return derived;
    }

private:
    /// Edges that leave the loop and EXITs inside it.
    [[nodiscard]] std::size_t ways_out() const {
        const auto exits =
            std::count_if(loop_.blocks.begin(), loop_.blocks.end(),
                          [&](std::size_t block) { return graph_.blocks[block].exits; });
        return loop_.exit_edges.size() + static_cast<std::size_t>(exits);
    }

    [[nodiscard]] bool in_every_turn(std::size_t block) const {
        return graph_.innermost_loop[block] == index_ &&
               std::all_of(loop_.back_edges.begin(), loop_.back_edges.end(), [&](std::size_t edge) {
                   return graph_.dominates(block, graph_.edges[edge].from);
               });
    }

    [[nodiscard]] bool leaves(std::size_t edge) const {
        return std::find(loop_.exit_edges.begin(), loop_.exit_edges.end(), edge) !=
               loop_.exit_edges.end();
    }

    [[nodiscard]] std::optional<Exit> exit_of(std::size_t block) const {
        if (!body_[block] || !in_every_turn(block)) return std::nullopt;
        const auto decision = decision_of(function_, graph_, *body_[block], block);
        if (!decision) return std::nullopt;
        const auto comparison = decision->when.comparison();
        if (!comparison) return std::nullopt;
        const auto outside = [&](const std::optional<std::size_t>& edge) {
            return !edge || leaves(*edge);
        };
        if (outside(decision->taken) == outside(decision->otherwise)) return std::nullopt;
        const Instruction& last = function_.instructions[graph_.blocks[block].last];
        return Exit{last.address, outside(decision->taken), *comparison};
    }

    /// What the symbol's register has when the loop is entered and what a turn adds to it.
    [[nodiscard]] std::optional<Progression> progression_of(Symbol symbol) const {
        const auto reg = register_of(symbol);
        if (!reg) return Progression{AffineExpression::of(symbol), 0};
        std::optional<std::uint32_t> step;
        for (const std::size_t edge : loop_.back_edges) {
            const auto& end = body_[graph_.edges[edge].from];
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
            const auto& before = whole_[graph_.edges[edge].from];
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
            const auto part = progression_of(symbol);
            if (!part) return std::nullopt;
            sum.first = sum.first + part->first * coefficient;
            sum.step += part->step * coefficient;
        }
        return sum;
    }

    /// The first turn, from 0 on, in which the exit is taken.
    [[nodiscard]] std::optional<std::int64_t> leaves_in(const Exit& exit) const {
        auto left = progression_of(exit.comparison.left);
        auto right = progression_of(exit.comparison.right);
        if (!left || !right) return std::nullopt;
        const bool equality = exit.comparison.comparator == Comparator::Equal ||
                              exit.comparison.comparator == Comparator::NotEqual;
        if (equality) { // Only the difference counts.
            *left = Progression{left->first - right->first, left->step - right->step};
            *right = Progression{};
        }
        if (!left->first.is_constant() || !right->first.is_constant()) return std::nullopt;
        const bool constant = left->step == 0 && right->step == 0;
        for (std::int64_t turn = 0; turn < (constant ? 1 : derived_turns_limit); ++turn)
            if (exit.comparison.holds(left->at(turn), right->at(turn)) == exit.leaves_when)
                return turn;
        return std::nullopt;
    }

    [[nodiscard]] std::string reason_of(const Exit& exit, std::int64_t turn) const {
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
        return fmt::format("the way out at 0x{:04x} is taken in turn {}; it compares {} with {}",
                           exit.address, turn + 1, series(exit.comparison.left),
                           series(exit.comparison.right));
    }

    const Function& function_;
    const ControlFlowGraph& graph_;
    const BlockStates& whole_;
    std::size_t index_;
    const assembly::Loop& loop_;
    BlockStates body_;
};

} // namespace

std::vector<std::optional<DerivedLoop>> derive_loops(const Function& function,
                                                     const ControlFlowGraph& graph, Lanes lanes) {
    std::vector<std::optional<DerivedLoop>> derived(graph.loops.size());
    if (graph.loops.empty()) return derived;
    const BlockStates whole = values_in_run(function, graph, lanes);
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop)
        derived[loop] = LoopCounter{function, graph, whole, loop, lanes}.count();
    return derived;
}

} // namespace warpbound::analyzer
