/// \file
/// What a branch says of the registers that its predicate compares: the relations of
/// `RangeRegisters` (S16a).

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/range_registers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterOperand;

Comparator inverted(Comparator comparator) {
    switch (comparator) {
    case Comparator::Less:
        return Comparator::GreaterEqual;
    case Comparator::GreaterEqual:
        return Comparator::Less;
    case Comparator::Greater:
        return Comparator::LessEqual;
    case Comparator::LessEqual:
        return Comparator::Greater;
    case Comparator::Equal:
        return Comparator::NotEqual;
    case Comparator::NotEqual:
        return Comparator::Equal;
    }
    return comparator;
}

/// The comparison with its sides exchanged.
Comparator mirrored(Comparator comparator) {
    switch (comparator) {
    case Comparator::Less:
        return Comparator::Greater;
    case Comparator::Greater:
        return Comparator::Less;
    case Comparator::LessEqual:
        return Comparator::GreaterEqual;
    case Comparator::GreaterEqual:
        return Comparator::LessEqual;
    case Comparator::Equal:
    case Comparator::NotEqual:
        break;
    }
    return comparator;
}

/// A comparison that LOP3 adds to its result: not equal to zero.
bool compares_result(const Instruction& instruction) {
    if ((instruction.mnemonic != "LOP3" && instruction.mnemonic != "ULOP3") ||
        !only_modifiers(instruction, {"LUT"}) || instruction.operands.size() < 2 ||
        as_predicate(instruction.operands.front()) == nullptr)
        return false;
    const auto* combined = as_predicate(instruction.operands.back());
    return combined != nullptr && !combined->index && combined->negated;
}

} // namespace

std::optional<std::size_t> RangeRegisters::index_of(const Operand& operand) const {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    if (reg == nullptr || !reg->index || reg->negated || reg->inverted || reg->absolute ||
        !only_suffix(reg->suffixes, "reuse"))
        return std::nullopt;
    const auto found = of_->find(Register{reg->file, *reg->index});
    return found == of_->end() ? std::nullopt : std::optional{found->second};
}

std::optional<RangeRegisters::Relation>
RangeRegisters::relation_of(const Instruction& compared) const {
    if (compares_result(compared)) {
        const auto result = index_of(compared.operands[1]);
        if (!result) return std::nullopt;
        return Relation{*result, Comparator::NotEqual, false, std::nullopt, ValueRange{0U}};
    }
    if ((compared.mnemonic != "ISETP" && compared.mnemonic != "UISETP") ||
        compared.operands.size() != 5)
        return std::nullopt;
    const auto comparator = comparator_of(compared);
    const auto left = index_of(compared.operands[2]);
    const auto right = index_of(compared.operands[3]);
    const bool is_signed = !compared.has_modifier("U32");
    if (!comparator) return std::nullopt;
    const auto constant = [&](std::size_t position) -> std::optional<ValueRange> {
        const auto value = source(compared.operands[position]);
        return value && value->range.value() ? std::optional{value->range} : std::nullopt;
    };
    if (left && right) return Relation{*left, *comparator, is_signed, right, ValueRange{}};
    if (left)
        if (const auto value = constant(3))
            return Relation{*left, *comparator, is_signed, std::nullopt, *value};
    if (right)
        if (const auto value = constant(2))
            return Relation{*right, mirrored(*comparator), is_signed, std::nullopt, *value};
    return std::nullopt;
}

RangeRegisters::Implied RangeRegisters::implied_by(const Instruction& instruction,
                                                   RangeOperation operation) const {
    if (operation == RangeOperation::ExtendedComparison) return implied_by_extended(instruction);
    Implied implied;
    if (operation != RangeOperation::Comparison && operation != RangeOperation::Lookup)
        return implied;
    const auto relation = relation_of(instruction);
    const auto predicate = relation ? index_of(instruction.operands.front()) : std::nullopt;
    if (!predicate) return implied;
    implied.predicate = *predicate;
    const auto* combined = as_predicate(instruction.operands.back());
    const bool is_or = compares_result(instruction) || instruction.has_modifier("OR");
    if (!is_or && !instruction.has_modifier("AND")) return implied;
    // "and" says something of both sides where it holds, "or" where it does not.
    Relation failed = *relation;
    failed.comparator = inverted(failed.comparator);
    (is_or ? implied.when_false : implied.when_true).push_back(is_or ? failed : *relation);
    // With the neutral truth as other side the result is the comparison.
    if (truth(*combined) == std::optional{!is_or}) {
        (is_or ? implied.when_true : implied.when_false).push_back(is_or ? *relation : failed);
    } else if (combined->index) {
        const auto other = of_->find(Register{combined->file, *combined->index});
        for (const Implied& one : implied_) {
            if (other == of_->end() || one.predicate != other->second) continue;
            const auto& says = is_or == combined->negated ? one.when_true : one.when_false;
            auto& into = is_or ? implied.when_false : implied.when_true;
            into.insert(into.end(), says.begin(), says.end());
        }
    }
    return implied;
}

bool RangeRegisters::restrict(const Relation& relation) {
    const ValueRange left = values_[relation.left].range;
    const ValueRange right = relation.right ? values_[*relation.right].range : relation.constant;
    const auto kept = left.where(relation.comparator, relation.is_signed, right);
    if (!kept) return false;
    values_[relation.left].range = *kept;
    if (!relation.right) return true;
    const auto other = right.where(mirrored(relation.comparator), relation.is_signed, *kept);
    if (!other) return false;
    values_[*relation.right].range = *other;
    return true;
}

void RangeRegisters::keep_implied_of(const RangeRegisters& other) {
    const auto only_here = [&](const Implied& one) {
        return std::find(other.implied_.begin(), other.implied_.end(), one) == other.implied_.end();
    };
    implied_.erase(std::remove_if(implied_.begin(), implied_.end(), only_here), implied_.end());
}

void RangeRegisters::forget(std::size_t index) {
    const auto names = [&](const Relation& relation) {
        return relation.left == index || relation.right == index;
    };
    for (Implied& one : implied_)
        for (auto* relations : {&one.when_true, &one.when_false})
            relations->erase(std::remove_if(relations->begin(), relations->end(), names),
                             relations->end());
    implied_.erase(std::remove_if(implied_.begin(), implied_.end(),
                                  [&](const Implied& one) {
                                      return one.predicate == index ||
                                             (one.when_true.empty() && one.when_false.empty());
                                  }),
                   implied_.end());
}

bool RangeRegisters::assume(const RegisterOperand& predicate, bool holds) {
    const bool plain = holds != predicate.negated;
    if (!predicate.index) return plain;
    const auto found = of_->find(Register{predicate.file, *predicate.index});
    if (found == of_->end()) return true;
    if (truth(Register{predicate.file, *predicate.index}).value_or(plain) != plain) return false;
    for (const Implied& one : implied_)
        if (one.predicate == found->second) {
            const std::vector<Relation>& relations = plain ? one.when_true : one.when_false;
            if (!std::all_of(relations.begin(), relations.end(),
                             [&](const Relation& relation) { return restrict(relation); }))
                return false;
        }
    values_[found->second].range = ValueRange{plain ? 1U : 0U};
    return true;
}

} // namespace warpbound::analyzer
