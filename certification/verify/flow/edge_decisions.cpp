#include "assembly/isa/branch_guard.hpp"
#include "certification/verify/flow/instruction_forms.hpp"
#include "certification/verify/flow/register_values.hpp"

#include <algorithm>
#include <array>

namespace warpbound::certification::verify {

namespace {

using assembly::EdgeKind;
using assembly::Instruction;
using assembly::RegisterFile;
using assembly::RegisterOperand;

constexpr int decision_depth = 8; ///< Of predicates that are made of predicates.

bool may_be(const NumberSet& truth, bool wanted) {
    return may_hold(wanted ? Order::NotEqual : Order::Equal, false, truth, NumberSet::of(0));
}

} // namespace

std::vector<std::pair<const RegisterOperand*, bool>>
deciders_of(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
            std::size_t edge) {
    const assembly::Edge& taken = graph.edges[edge];
    const Instruction& last = function.instructions[graph.blocks[taken.from].last];
    const bool jumps = taken.kind == EdgeKind::Taken;
    if (last.control_flow == assembly::ControlFlow::Exit) {
        if (last.guard && !jumps) return {{&last.guard->predicate, false}};
        return {};
    }
    if (last.control_flow != assembly::ControlFlow::Branch) return {};
    if (assembly::is_decided_by_guard(last)) {
        if (last.guard) return {{&last.guard->predicate, jumps}};
        return {};
    }
    const RegisterOperand* operand = assembly::deciding_operand(last);
    if (operand == nullptr) return {};
    if (!last.guard || last.guard->always()) return {{operand, jumps}};
    if (jumps) return {{operand, true}, {&last.guard->predicate, true}};
    return {};
}

const std::vector<DecidedComparison>& RegisterValues::decided_on(std::size_t edge) {
    if (const auto known = of_edges_.find(edge); known != of_edges_.end()) return known->second;
    if (!executions_.empty()) {
        const auto& current = executions_.back().of_edges;
        if (const auto known = current.find(edge); known != current.end()) {
            ++reads_of_iterations_;
            return known->second;
        }
    }
    const std::int64_t before = reads_of_iterations_;
    std::vector<DecidedComparison> decided;
    const ProgramPoint end = end_of(graph_, graph_.edges[edge].from);
    for (const auto& [predicate, truth] : deciders_of(function_, graph_, edge))
        decide(*predicate, truth, {end.block, end.instruction - 1}, decided);
    auto& kept = reads_of_iterations_ == before || executions_.empty()
                     ? of_edges_
                     : executions_.back().of_edges;
    return kept.emplace(edge, std::move(decided)).first->second;
}

/// What follows from the truth of a predicate operand: of the comparison that made it, and of the
/// predicate itself.
void RegisterValues::decide(const RegisterOperand& predicate, bool truth, ProgramPoint point,
                            std::vector<DecidedComparison>& decided, int depth) {
    if (!predicate.index || depth > decision_depth) return;
    const assembly::Register reg{predicate.file, *predicate.index};
    if ((reg.file != RegisterFile::Predicate && reg.file != RegisterFile::UniformPredicate) ||
        is_shared(reg))
        return;
    const bool holds = truth != predicate.negated;
    const ValueSource source = reaching_.source_of(reg, point);
    DecidedComparison own;
    own.left = {SourceSum{source, 0}, nullptr, point};
    own.right = {SourceSum{std::nullopt, holds ? 1U : 0U}, nullptr, point};
    decided.push_back(own);
    if (source.kind != ValueSource::Kind::Definition) return;
    const Instruction& maker = function_.instructions[source.at.instruction];
    const auto& into =
        maker.operands.empty() ? nullptr : std::get_if<RegisterOperand>(&maker.operands.front());
    if (assembly::is_guarded(maker) || !maker.effects.writes_known || into == nullptr ||
        into->file != reg.file || into->index != reg.index)
        return;
    if (compare_form(maker))
        decide_compared(maker, holds, source.at, decided, depth + 1);
    else
        decide_combined(maker, holds, source.at, decided, depth + 1);
}

void RegisterValues::decide_compared(const Instruction& compare, bool truth, ProgramPoint point,
                                     std::vector<DecidedComparison>& decided, int depth) {
    const CompareForm form = *compare_form(compare);
    using Combination = CompareForm::Combination;
    const NumberSet with = this->truth(*form.with, point);
    bool compared = truth;
    if (form.combination == Combination::And) {
        if (truth)
            decide(*form.with, true, point, decided, depth);
        else if (may_be(with, false))
            return; // Either may fail.
    } else if (form.combination == Combination::Or) {
        if (!truth)
            decide(*form.with, false, point, decided, depth);
        else if (may_be(with, true))
            return;
    } else {
        if (!with.is_single()) return;
        compared = truth != (with.first() != 0);
    }
    if (form.is_extended) {
        const NumberSet left = operand(*form.left, point);
        if (left.is_single() && left == operand(*form.right, point))
            decide(*form.lower, compared, point, decided, depth);
        return;
    }
    DecidedComparison comparison;
    comparison.left = {sum_at(*form.left, point), form.left, point};
    comparison.right = {sum_at(*form.right, point), form.right, point};
    comparison.order = compared ? form.order : negation_of(form.order);
    comparison.is_signed = form.is_signed;
    decided.push_back(comparison);
}

/// Sources of PLOP3 that have one truth in all rows of its table that give the result.
void RegisterValues::decide_combined(const Instruction& logic, bool truth, ProgramPoint point,
                                     std::vector<DecidedComparison>& decided, int depth) {
    const auto form = predicate_logic(logic);
    if (!form) return;
    std::array<bool, 3> may_be_true{};
    std::array<bool, 3> may_be_false{};
    for (unsigned row = 0; row < 8; ++row) {
        bool is_possible = (form->table >> row & 1U) == (truth ? 1U : 0U);
        for (unsigned i = 0; i < 3 && is_possible; ++i)
            is_possible = may_be(this->truth(*form->sources[i], point), (row >> (2 - i) & 1U) != 0);
        for (unsigned i = 0; i < 3 && is_possible; ++i)
            ((row >> (2 - i) & 1U) != 0 ? may_be_true : may_be_false).at(i) = true;
    }
    for (unsigned i = 0; i < 3; ++i)
        if (may_be_true.at(i) != may_be_false.at(i))
            decide(*form->sources[i], may_be_true.at(i), point, decided, depth);
}

bool RegisterValues::may_take(std::size_t edge) {
    if (is_exhausted()) return true;
    return remembered(taken_, &Execution::taken, edge, [&] {
        const ProgramPoint end = end_of(graph_, graph_.edges[edge].from);
        const ProgramPoint branch{end.block, end.instruction - 1};
        for (const auto& [predicate, wanted] : deciders_of(function_, graph_, edge))
            if (!may_be(truth(*predicate, branch), wanted)) return false;
        for (const DecidedComparison& decided : decided_on(edge))
            if (!may_be_decided(decided, branch)) return false;
        return true;
    });
}

/// At a point behind the comparison.
bool RegisterValues::may_be_decided(const DecidedComparison& decided, ProgramPoint point) {
    const auto& left = decided.left;
    const auto& right = decided.right;
    const bool is_equality = decided.order == Order::Equal || decided.order == Order::NotEqual;
    if (is_equality && left.term && right.term && left.term->source == right.term->source)
        return (left.term->constant == right.term->constant) == (decided.order == Order::Equal);
    return may_hold(decided.order, decided.is_signed, value_of(left, point),
                    value_of(right, point));
}

bool RegisterValues::may_exit(std::size_t block) {
    const Instruction& last = function_.instructions[graph_.blocks[block].last];
    if (!last.guard) return true;
    return may_be(truth(last.guard->predicate, {block, graph_.blocks[block].last}), true);
}

} // namespace warpbound::certification::verify
