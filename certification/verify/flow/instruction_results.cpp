#include "certification/verify/flow/bits_by_table.hpp"
#include "certification/verify/flow/instruction_forms.hpp"
#include "certification/verify/flow/value_reader.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace warpbound::certification::verify {

namespace {

using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

constexpr std::int64_t word_circle = std::int64_t{1} << 32;
/// Of a predicate.
NumberSet either() {
    return NumberSet::range(0, 1);
}

/// The name without the U of the uniform datapath.
std::string_view name_of_form(const Instruction& instruction) {
    std::string_view name = instruction.mnemonic;
    for (const std::string_view uniform :
         {"UIADD3", "UIMAD", "UMOV", "USHF", "ULEA", "ULOP3", "USEL", "UISETP", "UPLOP3", "UIMNMX",
          "UVIMNMX", "ULDC", "UIADD", "UIABS"})
        if (name == uniform) name.remove_prefix(1);
    return name;
}

bool is_negated(const Operand& operand) {
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) return reg->negated;
    const auto* word = std::get_if<assembly::ConstantOperand>(&operand);
    return word != nullptr && word->negated;
}

/// Evaluates the sources of one instruction.
class Operation {
public:
    Operation(const Instruction& instruction, ProgramPoint point, ValueReader& values)
        : instruction_{instruction}, point_{point}, values_{values},
          sources_{sources_of(instruction)}, name_{name_of_form(instruction)} {}

    NumberSet number(Register reg) {
        if (name_ == "LDC" || name_ == "LDCU" || name_ == "ULDC") return word_of_load(reg);
        if (name_ == "IMAD" && instruction_.has_modifier("WIDE")) return product_word(reg);
        if (is_special()) return special(reg);
        if (instruction_.effects.memory) return narrow_load();
        const auto numbers =
            std::count_if(instruction_.effects.writes.begin(), instruction_.effects.writes.end(),
                          [&](Register written) { return written.file == reg.file; });
        return numbers == 1 ? single_result() : NumberSet{};
    }

    /// Of a predicate.
    NumberSet truth(Register reg) {
        if (const auto form = compare_form(instruction_)) return compared(*form, reg);
        if (const auto logic = predicate_logic(instruction_)) return combined(*logic);
        if (name_ == "LOP3") return is_not_zero();
        if (name_ == "IADD3") return carry(reg);
        return either();
    }

private:
    [[nodiscard]] std::size_t count() const { return sources_.numbers.size(); }
    NumberSet source(std::size_t index) {
        return index < count() ? values_.operand(*sources_.numbers[index], point_) : NumberSet{};
    }
    std::optional<std::uint32_t> constant(std::size_t index) {
        const NumberSet set = source(index);
        return set.is_single() ? std::optional{set.first()} : std::nullopt;
    }
    [[nodiscard]] bool has(std::string_view modifier) const {
        return instruction_.has_modifier(modifier);
    }
    [[nodiscard]] bool allows(std::initializer_list<std::string_view> known) const {
        return has_only(instruction_, known);
    }

    NumberSet single_result() {
        if (name_ == "MOV" || name_ == "MOV32I")
            return allows({}) && count() == 1 ? source(0) : NumberSet{};
        if (name_ == "IADD3" || name_ == "IADD" || name_ == "VIADD" || name_ == "IADD32I")
            return sum();
        if (name_ == "IMAD") return product_plus_addend();
        if (name_ == "SHF" || name_ == "SHL" || name_ == "SHR") return shifted();
        if (name_ == "LEA" || name_ == "ISCADD") return sum_with_scaled();
        if (name_ == "LOP3" || name_ == "LOP" || name_ == "LOP32I") return logic();
        if (name_ == "IMNMX" || name_ == "VIMNMX") return minimum(source(0), source(1));
        if (name_ == "VIADDMNMX") return minimum(source(0) + source(1), source(2));
        if (name_ == "SEL") return selected();
        if (name_ == "IABS") return absolute();
        if (name_ == "POPC") return NumberSet::range(0, 32);
        if (name_ == "FLO") return NumberSet::range(-1, 31);
        if (name_ == "R2UR") return from_some_lane();
        if (name_ == "HFMA2") return half_zero();
        return {};
    }

    /// Carries in are 0 or 1; a negated operand of such a sum is complemented on some machines.
    NumberSet sum() {
        if (!allows({"X", "U32"}) || count() > 3) return {};
        NumberSet result = NumberSet::of(0);
        for (std::size_t i = 0; i < count(); ++i) {
            if (has("X") && is_negated(*sources_.numbers[i])) return {};
            result = result + source(i);
        }
        if (!has("X")) return result;
        return result + carries_in();
    }

    NumberSet carries_in() {
        if (sources_.predicates.empty()) return either(); // CC, up to Pascal.
        NumberSet sum = NumberSet::of(0);
        for (const RegisterOperand* predicate : sources_.predicates)
            sum = sum + values_.truth(*predicate, point_);
        return sum;
    }

    NumberSet product_plus_addend() {
        if (has("HI")) return upper_product();
        if (!allows({"MOV", "U32", "IADD", "SHL", "X"}) || count() != 3) return {};
        NumberSet result = source(0) * source(1) + source(2);
        if (!has("X")) return result;
        for (std::size_t i = 0; i < count(); ++i)
            if (is_negated(*sources_.numbers[i])) return {};
        return result + carries_in();
    }

    /// IMAD.HI with nothing that is added.
    NumberSet upper_product() {
        if (!allows({"HI", "U32"}) || count() != 3 || constant(2) != std::uint32_t{0}) return {};
        const auto* added = std::get_if<RegisterOperand>(sources_.numbers[2]);
        if (added == nullptr || added->index) return {}; // A pair, of which one word is known.
        const bool is_signed = !has("U32");
        const auto left = source(0).view(is_signed);
        const auto right = source(1).view(is_signed);
        const auto upper = [&](std::int64_t a, std::int64_t b) {
            return is_signed ? (a * b) >> 32U
                             : static_cast<std::int64_t>((static_cast<std::uint64_t>(a) *
                                                          static_cast<std::uint64_t>(b)) >>
                                                         32U);
        };
        const std::array<std::int64_t, 4> ends{upper(left.lo, right.lo), upper(left.lo, right.hi),
                                               upper(left.hi, right.lo), upper(left.hi, right.hi)};
        return NumberSet::range(*std::min_element(ends.begin(), ends.end()),
                                *std::max_element(ends.begin(), ends.end()));
    }

    /// The lower word of IMAD.WIDE.
    NumberSet product_word(Register reg) {
        const auto* first = std::get_if<RegisterOperand>(&instruction_.operands.front());
        if (!allows({"WIDE", "U32"}) || count() != 3 || first == nullptr ||
            first->index != reg.index)
            return {};
        return source(0) * source(1) + source(2);
    }

    NumberSet shifted() {
        const bool is_funnel = name_ == "SHF";
        if (!allows({"L", "R", "U32", "S32", "HI"}) || count() != (is_funnel ? 3U : 2U)) return {};
        const auto bits = constant(1);
        if (!bits || *bits > 31) return {};
        const bool is_signed = is_funnel ? has("S32") : !has("U32");
        if (name_ == "SHL") return times_power_of_two(source(0), *bits);
        if (name_ == "SHR") return quotient_by_power_of_two(source(0), *bits, is_signed);
        if (has("L") && !has("HI") && has("U32")) return times_power_of_two(source(0), *bits);
        if (has("R") && has("HI")) return quotient_by_power_of_two(source(2), *bits, is_signed);
        // The lower word: that of the upper one moves in.
        if (has("R") && has("U32") && constant(2) == std::uint32_t{0})
            return quotient_by_power_of_two(source(0), *bits, false);
        return {};
    }

    NumberSet sum_with_scaled() {
        if (has("HI")) return upper_scaled_sum();
        if (!allows({}) || count() != 3) return {};
        const auto bits = constant(2);
        if (!bits || *bits > 31) return {};
        return times_power_of_two(source(0), *bits) + source(1);
    }

    /// LEA.HI: the upper word of a shifted pair, and a number. Of a negated pair nothing is known.
    NumberSet upper_scaled_sum() {
        if (count() == 0 || is_negated(*sources_.numbers[0])) return {};
        if (allows({"HI", "SX32"}) && has("SX32") && count() == 3) {
            const auto bits = constant(2);
            if (!bits || *bits == 0 || *bits > 31) return {};
            return quotient_by_power_of_two(source(0), 32 - *bits, true) + source(1);
        }
        if (!allows({"HI"}) || count() != 4) return {};
        const auto bits = constant(3);
        if (!bits || *bits == 0 || *bits > 31) return {};
        return times_power_of_two(source(2), *bits) +
               quotient_by_power_of_two(source(0), 32 - *bits, false) + source(1);
    }

    NumberSet logic() {
        if (name_ == "LOP3") {
            if (!allows({"LUT"}) || count() != 4) return {};
            const auto table = constant(3);
            return table ? bits_by_table(*table & 0xffU, {source(0), source(1), source(2)})
                         : NumberSet{};
        }
        if (count() != 2 || instruction_.modifiers.size() != 1) return {};
        if (has("AND")) return conjunction(source(0), source(1));
        if (has("OR")) return disjunction(source(0), source(1), false);
        if (has("XOR")) return disjunction(source(0), source(1), true);
        return {};
    }

    /// The predicate says: the smaller one, else the larger one.
    NumberSet minimum(const NumberSet& left, const NumberSet& right) {
        if (!allows({"U32", "S32"}) || sources_.predicates.size() != 1 ||
            count() != (name_ == "VIADDMNMX" ? 3U : 2U))
            return {};
        const NumberSet takes_smaller = values_.truth(*sources_.predicates[0], point_);
        const bool is_signed = !has("U32");
        if (!takes_smaller.is_single()) return joined(left, right);
        return takes_smaller.first() != 0 ? smaller(left, right, is_signed)
                                          : larger(left, right, is_signed);
    }

    NumberSet selected() {
        if (!allows({}) || count() != 2 || sources_.predicates.size() != 1) return {};
        const NumberSet takes_first = values_.truth(*sources_.predicates[0], point_);
        if (!takes_first.is_single()) return joined(source(0), source(1));
        return takes_first.first() != 0 ? source(0) : source(1);
    }

    NumberSet absolute() {
        if (!allows({}) || count() != 1) return {};
        const NumberSet plain = source(0);
        if (plain.empty()) return plain;
        const auto view = plain.view(true);
        if (view.lo >= 0) return plain;
        if (view.hi <= 0) return -plain;
        return NumberSet::range(0, std::max(-view.lo, view.hi));
    }

    /// Of the warp: which lane's number it is, is not known.
    NumberSet from_some_lane() {
        if (!allows({}) || count() != 1 || values_.launch().is_one_thread()) return {};
        return source(0);
    }

    /// Two zero registers multiplied, and +0 added, in both halves.
    NumberSet half_zero() {
        if (count() < 4) return {};
        for (std::size_t i = 0; i < 2; ++i) {
            const auto* reg = std::get_if<RegisterOperand>(sources_.numbers[i]);
            if (reg == nullptr || reg->index) return {};
        }
        for (std::size_t i = 2; i < 4; ++i) {
            const auto* literal = std::get_if<assembly::ImmediateOperand>(sources_.numbers[i]);
            if (literal == nullptr || literal->text != "0") return {};
        }
        return count() == 4 ? NumberSet::of(0) : NumberSet{};
    }

    [[nodiscard]] bool is_special() const {
        return name_ == "S2R" || name_ == "S2UR" || name_ == "CS2R";
    }
    NumberSet special(Register reg) {
        const auto* named =
            sources_.numbers.empty()
                ? nullptr
                : std::get_if<assembly::SpecialRegisterOperand>(sources_.numbers[0]);
        if (named == nullptr) return {};
        const NumberSet set = values_.launch().special(named->name);
        // One for the warp: of which lane is not known.
        if (reg.file == RegisterFile::Uniform && values_.launch().is_one_thread() &&
            !named->name.starts_with("SR_CTAID"))
            return {};
        // Both words of CS2R are those of the zero only.
        return instruction_.effects.writes.size() == 1 || named->name == "SRZ" ? set : NumberSet{};
    }

    NumberSet word_of_load(Register reg) {
        if (!allows({"E", "32", "64", "128"}) || count() != 1) return {};
        const auto* word = std::get_if<assembly::ConstantOperand>(sources_.numbers[0]);
        const auto* first = std::get_if<RegisterOperand>(&instruction_.operands.front());
        if (word == nullptr || first == nullptr || !first->index) return {};
        assembly::ConstantOperand own = *word;
        own.offset += 4 * std::int64_t{reg.index - *first->index};
        return values_.operand(own, point_);
    }

    /// Loads of one or two bytes.
    NumberSet narrow_load() {
        const assembly::MemoryEffect& access = *instruction_.effects.memory;
        if (!access.load || access.store || access.space == assembly::StateSpace::Texture ||
            instruction_.effects.writes.size() != 1)
            return {};
        if (has("U8")) return NumberSet::range(0, 255);
        if (has("U16")) return NumberSet::range(0, 65535);
        if (has("S8")) return NumberSet::range(-128, 127);
        if (has("S16")) return NumberSet::range(-32768, 32767);
        return {};
    }

    NumberSet compared(const CompareForm& form, Register reg) {
        const auto* into = std::get_if<RegisterOperand>(&instruction_.operands.front());
        if (into == nullptr || into->index != reg.index) return either(); // The second destination.
        const NumberSet left = values_.operand(*form.left, point_);
        const NumberSet right = values_.operand(*form.right, point_);
        NumberSet holds = truth_of(form, left, right);
        const NumberSet with = values_.truth(*form.with, point_);
        switch (form.combination) {
        case CompareForm::Combination::And:
            return conjunction(holds, with);
        case CompareForm::Combination::Or:
            return disjunction(holds, with, false);
        default:
            return disjunction(holds, with, true);
        }
    }

    NumberSet truth_of(const CompareForm& form, const NumberSet& left, const NumberSet& right) {
        const auto between = [](bool may, bool may_not) {
            return NumberSet::range(may_not ? 0 : 1, may ? 1 : 0);
        };
        if (!form.is_extended)
            return between(may_hold(form.order, form.is_signed, left, right),
                           may_hold(negation_of(form.order), form.is_signed, left, right));
        const NumberSet lower = values_.truth(*form.lower, point_);
        if (left.is_single() && left == right) return lower;
        if (!may_hold(Order::Equal, form.is_signed, left, right))
            return between(may_hold(form.order, form.is_signed, left, right),
                           may_hold(negation_of(form.order), form.is_signed, left, right));
        return either();
    }

    NumberSet combined(const PredicateLogic& form) {
        bool may = false;
        bool may_not = false;
        for (unsigned row = 0; row < 8; ++row) {
            bool is_possible = true;
            for (unsigned i = 0; i < 3; ++i) {
                const unsigned bit = row >> (2 - i) & 1U;
                const NumberSet set = values_.truth(*form.sources[i], point_);
                is_possible = is_possible && (!set.is_single() || set.first() == bit);
            }
            if (is_possible) ((form.table >> row & 1U) != 0 ? may : may_not) = true;
        }
        return NumberSet::range(may_not ? 0 : 1, may ? 1 : 0);
    }

    /// Of LOP3: the result is not zero, or the predicate operand holds.
    NumberSet is_not_zero() {
        if (!allows({"LUT"}) || count() != 4 || sources_.predicates.size() != 1) return either();
        const NumberSet result = logic();
        if (result.empty()) return result;
        const bool may_be_zero = may_hold(Order::Equal, false, result, NumberSet::of(0));
        const bool may_differ = may_hold(Order::NotEqual, false, result, NumberSet::of(0));
        const NumberSet holds = NumberSet::range(may_be_zero ? 0 : 1, may_differ ? 1 : 0);
        return disjunction(holds, values_.truth(*sources_.predicates[0], point_), false);
    }

    /// Of IADD3: the sum has more than 32 bits. What is subtracted counts as 2^32 less it.
    NumberSet carry(Register reg) {
        const auto carries =
            std::count_if(instruction_.effects.writes.begin(), instruction_.effects.writes.end(),
                          [&](Register written) { return written.file == reg.file; });
        if (!allows({}) || carries != 1 || count() > 3) return either();
        // Behind PT it is the second carry.
        const auto* first = std::get_if<RegisterOperand>(&instruction_.operands[1]);
        if (first == nullptr || first->index != reg.index) return either();
        std::int64_t least = 0;
        std::int64_t most = 0;
        for (std::size_t i = 0; i < count(); ++i) {
            const bool negated = is_negated(*sources_.numbers[i]);
            const NumberSet plain = negated ? -source(i) : source(i);
            if (plain.empty()) return NumberSet::none();
            const auto view = plain.view(false);
            least += negated ? word_circle - view.hi : view.lo;
            most += negated ? word_circle - view.lo : view.hi;
        }
        if (most < word_circle) return NumberSet::of(0);
        if (least >= word_circle && most < 2 * word_circle) return NumberSet::of(1);
        return either();
    }

    const Instruction& instruction_;
    ProgramPoint point_;
    ValueReader& values_;
    SourceOperands sources_;
    std::string_view name_;
};

} // namespace

NumberSet result_of(const Instruction& instruction, Register reg, ProgramPoint point,
                    ValueReader& values) {
    Operation operation{instruction, point, values};
    if (reg.file == RegisterFile::Predicate || reg.file == RegisterFile::UniformPredicate)
        return instruction.effects.writes_known ? operation.truth(reg) : either();
    if (reg.file != RegisterFile::General && reg.file != RegisterFile::Uniform) return {};
    return instruction.effects.writes_known ? operation.number(reg) : NumberSet{};
}

} // namespace warpbound::certification::verify
