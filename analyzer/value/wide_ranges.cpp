/// \file
/// Numbers of 64 bits in pairs of registers: carries, upper words of products and comparisons that
/// extend others (S16a, S70).

#include "analyzer/value/operand_forms.hpp"
#include "analyzer/value/range_registers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::RegisterOperand;
using Truth = std::optional<bool>;

constexpr std::uint64_t word_values = std::uint64_t{1} << 32U;

bool is_sum(const Instruction& instruction) {
    return instruction.mnemonic == "IADD3" || instruction.mnemonic == "UIADD3";
}

/// A register is subtracted.
bool is_subtracted(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr && reg->negated && !reg->inverted && !reg->absolute;
}

/// The complement of a register is added.
bool is_complement(const Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr && reg->inverted && !reg->negated && !reg->absolute;
}

/// The number is added as it is: no sign, no complement.
bool is_plain(const Operand& operand) {
    if (const auto* reg = std::get_if<RegisterOperand>(&operand))
        return !reg->negated && !reg->inverted && !reg->absolute;
    return std::holds_alternative<assembly::ImmediateOperand>(operand);
}

/// Predicates behind the first number after the destination: carries into a sum.
std::vector<const RegisterOperand*> carries_of(const Instruction& instruction) {
    std::vector<const RegisterOperand*> carries;
    bool behind = false;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
        const auto* predicate = as_predicate(instruction.operands[i]);
        behind = behind || predicate == nullptr;
        if (behind && predicate != nullptr) carries.push_back(predicate);
    }
    return carries;
}

/// ISETP.GE.U32.AND.EX without EX.
Instruction without_extension(Instruction compared) {
    std::erase(compared.modifiers, "EX");
    return compared;
}

} // namespace

/// 0 where the instruction adds no carry; nothing where it adds the carry flag, as up to Pascal.
std::optional<ValueRange> RangeRegisters::carries_into(const Instruction& instruction) const {
    ValueRange sum{0U};
    if (!instruction.has_modifier("X")) return sum;
    const auto carries = carries_of(instruction);
    if (carries.empty()) return std::nullopt;
    for (const RegisterOperand* carry : carries) {
        const Truth truth = this->truth(*carry);
        sum = sum + (truth ? ValueRange{*truth ? 1U : 0U} : ValueRange::between(0, 1));
    }
    return sum;
}

/// Whether a sum of numbers of 32 bits has more; nothing for other instructions.
Truth RangeRegisters::carry_of(const Instruction& instruction) const {
    if (!is_sum(instruction) || !only_modifiers(instruction, {"X"})) return std::nullopt;
    const auto added = carries_into(instruction);
    if (!added) return std::nullopt;
    const ValueRange::Ends carries = added->ends(false);
    std::int64_t least = carries.lo;
    std::int64_t most = carries.hi;
    std::size_t outputs = 0;
    bool behind = false;
    for (std::size_t i = 1; i < instruction.operands.size(); ++i) {
        const Operand& operand = instruction.operands[i];
        if (const auto* predicate = as_predicate(operand)) {
            if (!behind && predicate->index) outputs = i; // PT takes no carry.
            continue;
        }
        behind = true;
        const bool subtracted = is_subtracted(operand);
        const auto number = subtracted || is_complement(operand) || is_plain(operand)
                                ? source(operand)
                                : std::nullopt;
        if (!number) return std::nullopt;
        // A subtracted number counts as 2^32 less it.
        const ValueRange::Ends ends =
            (subtracted ? number->range.negated() : number->range).ends(false);
        const auto whole = static_cast<std::int64_t>(word_values);
        least += subtracted ? whole - ends.hi : ends.lo;
        most += subtracted ? whole - ends.lo : ends.hi;
    }
    if (static_cast<std::uint64_t>(most) < word_values) return false;
    if (outputs == 1 && static_cast<std::uint64_t>(least) >= word_values) return true;
    return std::nullopt;
}

/// Of IMAD.WIDE: the product of two numbers, neither negative, plus a pair of registers.
ValueRange RangeRegisters::upper_word_of(const Instruction& instruction) const {
    const auto& operands = instruction.operands;
    if ((instruction.mnemonic != "IMAD" && instruction.mnemonic != "UIMAD") ||
        !instruction.has_modifier("WIDE") || !only_modifiers(instruction, {"WIDE", "U32"}) ||
        operands.size() != 4 ||
        !std::all_of(operands.begin() + 1, operands.end(),
                     [](const Operand& operand) { return as_predicate(operand) == nullptr; }))
        return {};
    const bool is_signed = !instruction.has_modifier("U32");
    const auto first = source(operands[1]);
    const auto factor = source(operands[2]);
    const auto low = source(operands[3]);
    const auto* pair = std::get_if<RegisterOperand>(&operands[3]);
    if (!first || !factor || !low || pair == nullptr || !is_plain(operands[3])) return {};
    const ValueRange::Ends a = first->range.ends(is_signed);
    const ValueRange::Ends b = factor->range.ends(is_signed);
    const ValueRange::Ends c = low->range.ends(false);
    if (a.lo < 0 || b.lo < 0) return {};
    const auto upper = [](std::int64_t x, std::int64_t y, std::int64_t added) {
        return (static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(y) +
                static_cast<std::uint64_t>(added)) /
               word_values;
    };
    const ValueRange high = pair->index ? number({pair->file, *pair->index + 1}) : ValueRange{0U};
    return high + ValueRange::between(upper(a.lo, b.lo, c.lo), upper(a.hi, b.hi, c.hi));
}

Truth RangeRegisters::upper_words_equal(const Instruction& compared) const {
    const auto left = source(compared.operands[2]);
    const auto right = source(compared.operands[3]);
    if (!left || !right) return std::nullopt;
    return compare(Comparator::Equal, false, left->range, right->range);
}

/// Where the upper words are equal, the comparison of the lower ones decides.
Truth RangeRegisters::extended_truth_of(const Instruction& compared) const {
    const auto comparator = comparator_of(without_extension(compared));
    const auto* combined = as_predicate(compared.operands[4]);
    const auto* lower = as_predicate(compared.operands[5]);
    const auto left = source(compared.operands[2]);
    const auto right = source(compared.operands[3]);
    if (!comparator || combined == nullptr || lower == nullptr || !left || !right)
        return std::nullopt;
    const Truth equal = upper_words_equal(compared);
    if (!equal) return std::nullopt;
    const Truth holds =
        *equal ? truth(*lower)
               : compare(*comparator, !compared.has_modifier("U32"), left->range, right->range);
    const Truth other = truth(*combined);
    if (compared.has_modifier("OR"))
        return holds == true || other == true     ? Truth{true}
               : holds == false && other == false ? Truth{false}
                                                  : std::nullopt;
    if (!compared.has_modifier("AND")) return std::nullopt;
    return holds == false || other == false ? Truth{false}
           : holds == true && other == true ? Truth{true}
                                            : std::nullopt;
}

/// With equal upper words and nothing else to combine: what the lower comparison says.
RangeRegisters::Implied RangeRegisters::implied_by_extended(const Instruction& compared) const {
    Implied implied;
    const auto predicate = index_of(compared.operands.front());
    const auto lower = index_of(compared.operands[5]);
    const auto* combined = as_predicate(compared.operands[4]);
    const bool is_alone =
        combined != nullptr && ((compared.has_modifier("AND") && truth(*combined) == true) ||
                                (compared.has_modifier("OR") && truth(*combined) == false));
    if (!predicate || !lower || !is_alone || !comparator_of(without_extension(compared)) ||
        upper_words_equal(compared) != true)
        return implied;
    for (const Implied& one : implied_)
        if (one.predicate == *lower) implied = one;
    implied.predicate = *predicate;
    return implied;
}

} // namespace warpbound::analyzer
