/// \file
/// Sums and products of ranges, and what relates a result to the register that it was computed
/// from (S16a, S70).

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/range_registers.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::RegisterOperand;
using Truth = std::optional<bool>;

constexpr unsigned word_bits = 32;
constexpr std::uint32_t table_and = 0xc0;

/// The operand without its sign, where it is a register that is added or subtracted.
const RegisterOperand* added_register(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr && reg->index && !reg->inverted && !reg->absolute ? reg : nullptr;
}

Operand without_sign(RegisterOperand reg) {
    reg.negated = false;
    return reg;
}

/// What IADD3 and VIADD add, and IMAD with a factor of one; nothing for other forms.
std::optional<std::vector<const Operand*>> terms_of(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    std::vector<const Operand*> terms;
    for (std::size_t i = 1; i < operands.size(); ++i)
        if (as_predicate(operands[i]) == nullptr) terms.push_back(&operands[i]);
    if (instruction.mnemonic != "IMAD" && instruction.mnemonic != "UIMAD") return terms;
    if (terms.size() != 3) return std::nullopt;
    const auto is_one = [](const Operand& operand) {
        const auto* factor = std::get_if<assembly::ImmediateOperand>(&operand);
        return factor != nullptr && value_of(*factor) == 1U;
    };
    if (is_one(*terms[1])) return std::vector{terms[0], terms[2]};
    if (is_one(*terms[0])) return std::vector{terms[1], terms[2]};
    return std::nullopt;
}

} // namespace

std::optional<ValueRange> RangeRegisters::without_low_bits(const Operand& one,
                                                           const Operand& other) const {
    const auto* whole = added_register(one);
    const auto* bits = added_register(other);
    if (whole == nullptr || bits == nullptr || whole->negated == bits->negated) return std::nullopt;
    const auto of = index_of(without_sign(*whole));
    const auto subtracted = index_of(without_sign(*bits));
    if (!of || !subtracted) return std::nullopt;
    Origin origin = values_[*subtracted].origin;
    if (origin.kind != Origin::Kind::LowBits) return std::nullopt;
    // Of a register that is itself a sum with the other one.
    const Origin& before = values_[origin.of].origin;
    if (origin.of != *of && before.kind == Origin::Kind::Sum) {
        origin.of = before.of;
        origin.added += before.number;
    }
    if (origin.of != *of) return std::nullopt;
    const ValueRange rest =
        (values_[*of].range + ValueRange{origin.added}).without_low_bits(origin.number) +
        ValueRange{0 - origin.added};
    return whole->negated ? rest.negated() : rest;
}

std::optional<ValueRange> RangeRegisters::sum_of(const Instruction& instruction) const {
    const auto carries = carries_into(instruction);
    const auto terms = terms_of(instruction);
    if (!terms || terms->size() < 2 || !carries ||
        !only_modifiers(instruction, {"X", "MOV", "IADD", "U32"}))
        return std::nullopt;
    // A register less its low bits, or less one that is not larger.
    ValueRange sum = *carries;
    const Operand* first = nullptr;
    const Operand* second = nullptr;
    for (const Operand* whole : *terms)
        for (const Operand* part : *terms) {
            if (first != nullptr || whole == part) continue;
            auto pair = without_low_bits(*whole, *part);
            if (!pair) pair = difference_of(*whole, *part);
            if (!pair) continue;
            first = whole;
            second = part;
            sum = sum + *pair;
        }
    for (const Operand* term : *terms) {
        const auto value = source(*term);
        if (!value) return std::nullopt;
        if (term != first && term != second) sum = sum + value->range;
    }
    return sum;
}

std::optional<ValueRange> RangeRegisters::difference_of(const Operand& one,
                                                        const Operand& other) const {
    const auto* whole = added_register(one);
    const auto* part = added_register(other);
    if (whole == nullptr || part == nullptr || whole->negated || !part->negated)
        return std::nullopt;
    const auto lasting = std::ranges::find(implied_, always, &Implied::predicate);
    const auto left = index_of(one);
    const auto right = index_of(without_sign(*part));
    if (lasting == implied_.end() || !left || !right) return std::nullopt;
    for (const Relation& relation : lasting->when_true) {
        const bool is_same = relation.left == *left && relation.right == *right;
        const bool is_mirrored = relation.left == *right && relation.right == *left;
        const auto larger = is_same ? Comparator::Greater : Comparator::Less;
        const auto not_smaller = is_same ? Comparator::GreaterEqual : Comparator::LessEqual;
        if ((!is_same && !is_mirrored) ||
            (relation.comparator != larger && relation.comparator != not_smaller))
            continue;
        const ValueRange::Ends a = values_[*left].range.ends(relation.is_signed);
        const ValueRange::Ends b = values_[*right].range.ends(relation.is_signed);
        const std::int64_t least = relation.comparator == larger ? 1 : 0;
        if (a.hi - b.lo < least) return std::nullopt; // No thread comes here.
        return ValueRange::between(static_cast<std::uint64_t>(std::max(least, a.lo - b.hi)),
                                   static_cast<std::uint64_t>(a.hi - b.lo));
    }
    return std::nullopt;
}

RangeRegisters::Origin RangeRegisters::origin_of(const Instruction& instruction,
                                                 RangeOperation operation) const {
    if (instruction.mnemonic == "FIRSTLANE") return {}; // The number of another lane.
    if (operation == RangeOperation::Lookup) return origin_of_bits(instruction);
    if (operation == RangeOperation::MinMax) return origin_of_extreme(instruction);
    const bool is_copy = operation == RangeOperation::Move && instruction.operands.size() == 2;
    const bool is_sum = operation == RangeOperation::Sum && !instruction.has_modifier("X");
    const bool is_product = operation == RangeOperation::MultiplyAdd &&
                            only_modifiers(instruction, {"MOV", "IADD", "U32"});
    const auto terms = is_copy || is_sum || is_product ? terms_of(instruction) : std::nullopt;
    if (!terms) return {};
    Origin origin;
    for (const Operand* term : *terms) {
        const auto value = source(*term);
        if (!value) return {};
        if (const auto number = value->range.value()) {
            origin.number += *number;
            continue;
        }
        const auto of = index_of(*term);
        if (!of || origin.kind != Origin::Kind::None) return {};
        origin.kind = Origin::Kind::Sum;
        origin.of = *of;
    }
    return origin.kind == Origin::Kind::None ? Origin{} : origin;
}

RangeRegisters::Origin RangeRegisters::origin_of_bits(const Instruction& instruction) const {
    const auto& operands = instruction.operands;
    if (operands.size() < 5) return {};
    const std::size_t first = operands.size() - 5;
    const auto* table = std::get_if<assembly::ImmediateOperand>(&operands[first + 3]);
    if (table == nullptr || value_of(*table) != table_and) return {};
    const auto of = index_of(operands[first]);
    const auto mask = source(operands[first + 1]);
    const auto bits = mask ? mask->range.value() : std::nullopt;
    if (!of || !bits || *bits == 0 || (*bits & (*bits + 1)) != 0) return {};
    const auto count = static_cast<std::uint32_t>(std::popcount(*bits));
    if (count == word_bits) return {};
    Origin origin{Origin::Kind::LowBits, false, count, *of};
    // The register is written over: what it was computed from remains.
    const Origin& before = values_[*of].origin;
    if (before.kind == Origin::Kind::Sum && index_of(operands[first - 1]) == of) {
        origin.of = before.of;
        origin.added = before.number;
    }
    return origin;
}

RangeRegisters::Origin RangeRegisters::origin_of_extreme(const Instruction& instruction) const {
    const auto terms = terms_of(instruction);
    const auto* order = as_predicate(instruction.operands.back());
    const Truth smaller = order == nullptr ? std::nullopt : truth(*order);
    if (!terms || terms->size() != 2 || !smaller || !only_modifiers(instruction, {"U32"}))
        return {};
    for (const std::size_t i : {std::size_t{0}, std::size_t{1}}) {
        const auto of = index_of(*(*terms)[i]);
        const auto other = source(*(*terms)[1 - i]);
        const auto number = other ? other->range.value() : std::nullopt;
        if (of && number)
            return {*smaller ? Origin::Kind::Least : Origin::Kind::Most,
                    !instruction.has_modifier("U32"), *number, *of};
    }
    return {};
}

/// The upper word of a product of two numbers plus a pair of registers.
std::optional<ValueRange> RangeRegisters::high_product_of(const Instruction& instruction) const {
    const auto& operands = instruction.operands;
    if (operands.size() != 4 || !only_modifiers(instruction, {"HI", "U32"})) return std::nullopt;
    const auto* pair = std::get_if<RegisterOperand>(&operands[3]);
    const auto one = source(operands[1]);
    const auto other = source(operands[2]);
    const auto low = source(operands[3]);
    if (pair == nullptr || pair->negated || pair->inverted || !one || !other || !low)
        return std::nullopt;
    // Up to Pascal it adds one register to the upper word.
    const auto& reads = instruction.effects.reads;
    if (pair->index &&
        std::ranges::find(reads, assembly::Register{pair->file, *pair->index + 1}) == reads.end())
        return std::nullopt;
    const bool is_signed = !instruction.has_modifier("U32");
    const ValueRange::Ends a = one->range.ends(is_signed);
    const ValueRange::Ends b = other->range.ends(is_signed);
    const ValueRange::Ends added = low->range.ends(false);
    ValueRange high = pair->index ? number({pair->file, *pair->index + 1}) : ValueRange{0U};
    const auto as_range = [&](auto least, auto most) { // Ends before the shift.
        const auto lo = (least + static_cast<decltype(least)>(added.lo)) >> word_bits;
        const auto hi = (most + static_cast<decltype(most)>(added.hi)) >> word_bits;
        return high + (ValueRange{static_cast<std::uint32_t>(lo)} +
                       ValueRange::between(0, static_cast<std::uint64_t>(hi - lo)));
    };
    if (a.lo >= 0 && b.lo >= 0 && !is_signed)
        return as_range(static_cast<std::uint64_t>(a.lo) * static_cast<std::uint64_t>(b.lo),
                        static_cast<std::uint64_t>(a.hi) * static_cast<std::uint64_t>(b.hi));
    if (!is_signed) return std::nullopt;
    // x * c + 2^32 x, as quotients by a constant whose factor has 33 bits.
    constexpr std::int64_t small = std::int64_t{1} << 30U;
    const auto* multiplied = added_register(operands[1]);
    std::int64_t extended = 0;
    if (multiplied != nullptr && !multiplied->negated && pair->index && b.lo == b.hi &&
        multiplied->file == pair->file && *multiplied->index == *pair->index + 1 &&
        a.lo >= -small && a.hi <= small) {
        extended = std::int64_t{1} << word_bits;
        high = ValueRange{0U};
    }
    const std::initializer_list<std::int64_t> products{
        a.lo * (b.lo + extended), a.lo * (b.hi + extended), a.hi * (b.lo + extended),
        a.hi * (b.hi + extended)};
    return as_range(std::min(products), std::max(products));
}

std::optional<RangeRegisters> RangeRegisters::where_guard(const Instruction& instruction,
                                                          bool holds) const {
    const auto guard =
        instruction.guard ? index_of(without_sign(instruction.guard->predicate)) : std::nullopt;
    if (!guard || std::ranges::find(implied_, *guard, &Implied::predicate) == implied_.end())
        return std::nullopt;
    RangeRegisters narrowed = *this;
    return narrowed.assume(instruction.guard->predicate, holds) ? std::optional{narrowed}
                                                                : std::nullopt;
}

} // namespace warpbound::analyzer
