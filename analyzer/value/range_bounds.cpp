/// \file
/// Bounds of the numbers of registers by earlier numbers of the thread (S92).

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/range_registers.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::RegisterOperand;

constexpr std::int64_t least_number = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t largest_number = std::numeric_limits<std::int32_t>::max();

ValueRange number_range(std::int64_t number) {
    return ValueRange{static_cast<std::uint32_t>(number)};
}

/// The operand of LOP3 that the result is the complement of: by its place in the table.
std::optional<std::size_t> complemented(std::uint32_t table) {
    constexpr std::array<std::uint32_t, 3> complements{0x0f, 0x33, 0x55};
    const auto found = std::ranges::find(complements, table);
    if (found == complements.end()) return std::nullopt;
    return static_cast<std::size_t>(found - complements.begin());
}

} // namespace

RangeRegisters::Term RangeRegisters::Term::negated() const {
    const bool may_wrap = range.ends(true).lo == least_number;
    return {range.negated(), may_wrap ? RelativeBounds{} : bounds.negated()};
}

RangeRegisters::Term RangeRegisters::Term::complement() const {
    return {range.negated() + number_range(-1), bounds.negated().plus(-1)};
}

RangeRegisters::Term RangeRegisters::term_of(const Operand& operand) const {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    if (reg == nullptr || !reg->index || (!reg->negated && !reg->inverted)) {
        const auto value = source(operand);
        return value ? Term{value->range, value->bounds} : Term{};
    }
    RegisterOperand plain = *reg;
    plain.negated = plain.inverted = false;
    const auto value = source(plain);
    if (!value || (reg->negated && reg->inverted)) return {};
    const Term term{value->range, value->bounds};
    return reg->negated ? term.negated() : term.complement();
}

std::vector<RangeRegisters::Term> RangeRegisters::summands_of(const Instruction& instruction,
                                                              RangeOperation operation) const {
    std::vector<Term> terms;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i)
        if (as_predicate(instruction.operands[i]) == nullptr)
            terms.push_back(term_of(instruction.operands[i]));
    const bool is_copy = operation == RangeOperation::Move && terms.size() == 1 &&
                         instruction.mnemonic != "FIRSTLANE" && only_modifiers(instruction, {});
    if (is_copy || (operation == RangeOperation::Sum && only_modifiers(instruction, {})))
        return terms;
    if (operation == RangeOperation::MultiplyAdd && terms.size() == 3 &&
        only_modifiers(instruction, {"MOV", "IADD", "U32"})) {
        const ValueRange product = terms[0].range * terms[1].range;
        if (product.value()) return {{product, {}}, terms[2]};
        if (terms[0].range.value()) std::swap(terms[0], terms[1]);
        if (terms[1].range == number_range(1)) return {terms[0], terms[2]};
        if (terms[1].range == number_range(-1)) return {terms[0].negated(), terms[2]};
    }
    if (operation == RangeOperation::Lookup && terms.size() == 4 &&
        only_modifiers(instruction, {"LUT"}) && terms[3].range.value())
        if (const auto inverted = complemented(*terms[3].range.value()))
            return {terms[*inverted].complement()};
    return {};
}

void RangeRegisters::bound_sum(const std::vector<Term>& terms, Value& sum) {
    ValueRange::Ends ends;
    for (const Term& term : terms) {
        const ValueRange::Ends of_term = term.range.ends(true);
        ends.lo += of_term.lo;
        ends.hi += of_term.hi;
    }
    if (ends.lo < least_number || ends.hi > largest_number) return; // It may wrap around.
    const auto narrow = [&](Comparator comparator, std::int64_t end) {
        if (end < least_number || end > largest_number) return;
        sum.range = sum.range.where(comparator, true, number_range(end)).value_or(sum.range);
    };
    if (sum.range.is_any())
        sum.range = number_range(ends.lo) +
                    ValueRange::between(0, static_cast<std::uint64_t>(ends.hi - ends.lo));
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const auto& [range, bounds] = terms[i];
        const ValueRange::Ends own = range.ends(true);
        if (!sum.bounds.least.is_known()) sum.bounds.least = bounds.least.plus(ends.lo - own.lo);
        if (!sum.bounds.most.is_known()) sum.bounds.most = bounds.most.plus(ends.hi - own.hi);
        for (std::size_t k = i + 1; k < terms.size(); ++k) {
            const auto& [other_range, others] = terms[k];
            const ValueRange::Ends other = other_range.ends(true);
            if (bounds.least.is_parallel_to(others.least.negated()))
                narrow(Comparator::GreaterEqual,
                       bounds.least.offset() + others.least.offset() + ends.lo - own.lo - other.lo);
            if (bounds.most.is_parallel_to(others.most.negated()))
                narrow(Comparator::LessEqual,
                       bounds.most.offset() + others.most.offset() + ends.hi - own.hi - other.hi);
        }
    }
}

void RangeRegisters::bound_extreme(const Instruction& instruction, Value& extreme) const {
    const auto& operands = instruction.operands;
    const auto* order = as_predicate(operands.back());
    const auto smaller = order == nullptr ? std::nullopt : truth(*order);
    if (operands.size() != 4 || !smaller || !only_modifiers(instruction, {"U32"})) return;
    const Term one = term_of(operands[1]);
    const Term other = term_of(operands[2]);
    const auto is_negative = [](const Term& term) { return term.range.ends(true).lo < 0; };
    if (instruction.has_modifier("U32") && (is_negative(one) || is_negative(other))) return;
    extreme.bounds = one.bounds.join(other.bounds);
    // The smaller one is at most either, the larger one at least either.
    if (*smaller)
        extreme.bounds.most = one.bounds.most.is_known() ? one.bounds.most : other.bounds.most;
    else
        extreme.bounds.least = one.bounds.least.is_known() ? one.bounds.least : other.bounds.least;
}

void RangeRegisters::add_bounds(const Instruction& instruction, RangeOperation operation,
                                Value& number) const {
    number.bounds = {};
    if (operation == RangeOperation::MinMax) return bound_extreme(instruction, number);
    if (const auto terms = summands_of(instruction, operation); !terms.empty())
        bound_sum(terms, number);
}

std::optional<bool> RangeRegisters::compared_by_bounds(Comparator comparator, bool is_signed,
                                                       const Operand& left,
                                                       const Operand& right) const {
    const Term one = term_of(left);
    const Term other = term_of(right);
    if (!is_signed && (one.range.ends(true).lo < 0 || other.range.ends(true).lo < 0))
        return std::nullopt;
    // Of the difference, as an integer.
    const auto least = one.bounds.least.is_parallel_to(other.bounds.most)
                           ? std::optional{one.bounds.least.offset() - other.bounds.most.offset()}
                           : std::nullopt;
    const auto most = one.bounds.most.is_parallel_to(other.bounds.least)
                          ? std::optional{one.bounds.most.offset() - other.bounds.least.offset()}
                          : std::nullopt;
    const bool is_less = most && *most < 0;
    const bool is_not_greater = most && *most <= 0;
    const bool is_greater = least && *least > 0;
    const bool is_not_less = least && *least >= 0;
    const auto decided = [](bool holds, bool fails) {
        return holds || fails ? std::optional{holds} : std::nullopt;
    };
    switch (comparator) {
    case Comparator::Less:
        return decided(is_less, is_not_less);
    case Comparator::LessEqual:
        return decided(is_not_greater, is_greater);
    case Comparator::Greater:
        return decided(is_greater, is_not_greater);
    case Comparator::GreaterEqual:
        return decided(is_not_less, is_less);
    case Comparator::Equal:
        return decided(is_not_less && is_not_greater, is_less || is_greater);
    case Comparator::NotEqual:
        return decided(is_less || is_greater, is_not_less && is_not_greater);
    }
    return std::nullopt;
}

} // namespace warpbound::analyzer
