/// \file
/// What a branch says of the registers that its predicate compares: the relations of
/// `RangeRegisters` (S16a, S70).

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/range_functions.hpp"
#include "analyzer/value/range_registers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterOperand;
using Truth = std::optional<bool>;

/// Of one truth of a predicate.
constexpr std::size_t most_relations = 32;

/// Those that are not there yet: of a predicate that is combined with itself in a loop each
/// iteration says the same again.
template <class Relations> void add_new(const Relations& relations, Relations& to) {
    for (const auto& relation : relations)
        if (to.size() < most_relations && std::ranges::find(to, relation) == to.end())
            to.push_back(relation);
}

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

void RangeRegisters::add_relations(const Relation& relation, std::vector<Relation>& to) const {
    to.push_back(relation);
    const Origin& origin = values_[relation.left].origin;
    if (relation.right || origin.kind != Origin::Kind::Sum) return;
    const auto numbers = values_[relation.left].range.where(relation.comparator, relation.is_signed,
                                                            relation.constant);
    if (!numbers || numbers->is_any()) return;
    Relation of_origin;
    of_origin.left = origin.of;
    of_origin.constant = *numbers + ValueRange{0 - origin.number};
    of_origin.is_membership = true;
    to.push_back(of_origin);
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
    // "and" says something of both sides where it holds, "or" where it does not.
    Relation failed = *relation;
    failed.comparator = inverted(failed.comparator);
    if (compares_result(instruction)) { // The register still has the origin of its number before.
        implied.when_true = {*relation};
        implied.when_false = {failed};
        return implied;
    }
    const auto* combined = as_predicate(instruction.operands.back());
    const bool is_or = instruction.has_modifier("OR");
    if (!is_or && !instruction.has_modifier("AND")) return implied;
    add_relations(is_or ? failed : *relation, is_or ? implied.when_false : implied.when_true);
    // With the neutral truth as other side the result is the comparison. It is, too, where the
    // other side says the same.
    const bool is_alone = truth(*combined) == std::optional{!is_or};
    if (is_alone || holds_of_either(is_or ? *relation : failed, *combined, is_or))
        add_relations(is_or ? *relation : failed, is_or ? implied.when_true : implied.when_false);
    if (!is_alone && combined->index) {
        const auto other = of_->find(Register{combined->file, *combined->index});
        for (const Implied& one : implied_) {
            if (other == of_->end() || one.predicate != other->second) continue;
            const auto& says = is_or == combined->negated ? one.when_true : one.when_false;
            add_new(says, is_or ? implied.when_false : implied.when_true);
        }
    }
    return implied;
}

bool RangeRegisters::keep(std::size_t index, const std::optional<ValueRange>& numbers) {
    if (!numbers) return false;
    if (*numbers == values_[index].range) return true;
    values_[index].range = *numbers;
    const auto narrow = [&](std::size_t other, const ValueRange& to) {
        auto& range = values_[other].range;
        const auto kept = range.within(to);
        range = kept.value_or(range);
        return kept.has_value();
    };
    const Origin own = values_[index].origin;
    if (own.kind == Origin::Kind::Sum && !narrow(own.of, *numbers + ValueRange{0 - own.number}))
        return false;
    for (std::size_t other = 0; other < values_.size(); ++other) {
        const Origin& origin = values_[other].origin;
        if (origin.kind != Origin::Kind::None && origin.of == index && other != index &&
            !narrow(other, computed(origin, *numbers)))
            return false;
    }
    return true;
}

ValueRange RangeRegisters::computed(const Origin& origin, const ValueRange& of) {
    const ValueRange number{origin.number};
    switch (origin.kind) {
    case Origin::Kind::Sum:
        return of + number;
    case Origin::Kind::Least:
    case Origin::Kind::Most:
        return extreme(of, number, origin.is_signed, origin.kind == Origin::Kind::Least);
    case Origin::Kind::LowBits:
    case Origin::Kind::None:
        break;
    }
    return {};
}

bool RangeRegisters::restrict(const Relation& relation) {
    const ValueRange left = values_[relation.left].range;
    if (relation.is_membership) return keep(relation.left, left.within(relation.constant));
    const ValueRange right = relation.right ? values_[*relation.right].range : relation.constant;
    const auto kept = left.where(relation.comparator, relation.is_signed, right);
    if (!keep(relation.left, kept)) return false;
    if (!relation.right) return true;
    return keep(*relation.right, values_[*relation.right].range.where(mirrored(relation.comparator),
                                                                      relation.is_signed, *kept));
}

bool RangeRegisters::is_known(const Relation& relation) const {
    const ValueRange& left = values_[relation.left].range;
    if (relation.is_membership) return left.join(relation.constant) == relation.constant;
    const ValueRange& right = relation.right ? values_[*relation.right].range : relation.constant;
    return compare(relation.comparator, relation.is_signed, left, right) == true;
}

bool RangeRegisters::holds_of_either(const Relation& relation, const RegisterOperand& other,
                                     bool holds) const {
    RangeRegisters where_other = *this;
    return !where_other.assume(other, holds) || where_other.is_known(relation);
}

std::vector<RangeRegisters::Relation> RangeRegisters::also_here(const Implied& implied,
                                                                bool truth) const {
    std::vector<Relation> kept;
    const auto value =
        implied.predicate == always ? std::optional{1U} : values_[implied.predicate].range.value();
    const auto& relations = truth ? implied.when_true : implied.when_false;
    if (value && (*value != 0) != truth) return relations; // The predicate never has this truth.
    const auto own = std::ranges::find(implied_, implied.predicate, &Implied::predicate);
    const auto* known =
        own == implied_.end() ? nullptr : &(truth ? own->when_true : own->when_false);
    std::ranges::copy_if(relations, std::back_inserter(kept), [&](const Relation& relation) {
        return is_known(relation) ||
               (known != nullptr && std::ranges::find(*known, relation) != known->end());
    });
    return kept;
}

void RangeRegisters::keep_implied_of(const RangeRegisters& other) {
    for (Implied& one : implied_) {
        std::vector<Relation> when_true = other.also_here(one, true);
        one.when_false = other.also_here(one, false);
        one.when_true = std::move(when_true);
    }
    std::erase_if(implied_, [](const Implied& one) {
        return one.when_true.empty() && one.when_false.empty();
    });
}

void RangeRegisters::imply_by_joining(const RangeRegisters& other) {
    const auto truth_in = [](const RangeRegisters& state, std::size_t index) {
        const auto value = state.values_[index].range.value();
        return value ? Truth{*value != 0} : Truth{};
    };
    for (const auto& [reg, index] : *of_) {
        if (!is_predicate(reg.file)) continue;
        const Truth own = truth_in(*this, index);
        const Truth others = truth_in(other, index);
        if (!own || !others || *own == *others) continue;
        Implied joined{index, {}, {}};
        for (const auto& [number, i] : *of_) {
            if (is_predicate(number.file)) continue;
            const ValueRange both = values_[i].range.join(other.values_[i].range);
            const auto add = [&](const ValueRange& range, bool truth) {
                Relation relation;
                relation.left = i;
                relation.constant = range;
                relation.is_membership = true;
                if (range != both)
                    (truth ? joined.when_true : joined.when_false).push_back(relation);
            };
            add(values_[i].range, *own);
            add(other.values_[i].range, *others);
        }
        if (!joined.when_true.empty() || !joined.when_false.empty()) add_implied(std::move(joined));
    }
}

void RangeRegisters::add_implied(Implied implied) {
    const auto at = std::ranges::lower_bound(implied_, implied.predicate, {}, &Implied::predicate);
    if (at == implied_.end() || at->predicate != implied.predicate) {
        implied_.insert(at, std::move(implied));
        return;
    }
    add_new(implied.when_true, at->when_true);
    add_new(implied.when_false, at->when_false);
}

/// What is said of a register that is written now remains of those that were computed from it.
void RangeRegisters::hand_on_relations(std::size_t index) {
    for (std::size_t heir = 0; heir < values_.size(); ++heir) {
        const Origin& origin = values_[heir].origin;
        if (origin.kind != Origin::Kind::Sum || origin.of != index || heir == index) continue;
        for (Implied& one : implied_)
            for (auto* relations : {&one.when_true, &one.when_false})
                hand_on(*relations, index, heir);
    }
}

void RangeRegisters::hand_on(std::vector<Relation>& relations, std::size_t from,
                             std::size_t heir) const {
    const ValueRange added{values_[heir].origin.number};
    const ValueRange of = values_[heir].range + added.negated();
    std::vector<Relation> more;
    for (const Relation& relation : relations) {
        if (relation.left != from || relation.right) continue;
        const auto numbers =
            relation.is_membership
                ? of.within(relation.constant)
                : of.where(relation.comparator, relation.is_signed, relation.constant);
        if (!numbers || relations.size() + more.size() >= most_relations) continue;
        Relation inherited;
        inherited.left = heir;
        inherited.constant = *numbers + added;
        inherited.is_membership = true;
        more.push_back(inherited);
    }
    relations.insert(relations.end(), more.begin(), more.end());
}

std::vector<bool> RangeRegisters::named_by_others() const {
    std::vector<bool> named(values_.size(), false);
    for (const Value& value : values_)
        if (value.origin.kind != Origin::Kind::None) named[value.origin.of] = true;
    for (const Implied& one : implied_) {
        if (one.predicate != always) named[one.predicate] = true;
        for (const auto* relations : {&one.when_true, &one.when_false})
            for (const Relation& relation : *relations) {
                named[relation.left] = true;
                if (relation.right) named[*relation.right] = true;
            }
    }
    return named;
}

void RangeRegisters::forget(std::size_t index) {
    hand_on_relations(index);
    const auto names = [&](const Relation& relation) {
        return relation.left == index || relation.right == index;
    };
    for (Value& value : values_)
        if (value.origin.kind != Origin::Kind::None && value.origin.of == index) value.origin = {};
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
    Implied lasting{always, {}, {}};
    for (const Implied& one : implied_)
        if (one.predicate == found->second) {
            const std::vector<Relation>& relations = plain ? one.when_true : one.when_false;
            if (!std::all_of(relations.begin(), relations.end(),
                             [&](const Relation& relation) { return restrict(relation); }))
                return false;
            std::ranges::copy_if(
                relations, std::back_inserter(lasting.when_true),
                [](const Relation& relation) { return relation.right.has_value(); });
        }
    if (!lasting.when_true.empty()) add_implied(std::move(lasting));
    values_[found->second].range = ValueRange{plain ? 1U : 0U};
    return true;
}

} // namespace warpbound::analyzer
