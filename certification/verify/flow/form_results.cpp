#include "certification/verify/flow/forms_in_box.hpp"
#include "certification/verify/flow/instruction_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>

namespace warpbound::certification::verify {

namespace {

using assembly::ConstantOperand;
using assembly::ImmediateOperand;
using assembly::Instruction;
using assembly::Operand;
using assembly::Register;
using assembly::RegisterFile;
using assembly::RegisterOperand;

/// The name without the U of the uniform datapath.
std::string_view name_on_lanes(const Instruction& instruction) {
    const std::string_view name = instruction.mnemonic;
    for (const std::string_view uniform :
         {"UMOV", "UIADD3", "UIMAD", "USHF", "ULEA", "ULOP3", "ULDC"})
        if (name == uniform) return name.substr(1);
    return name;
}

bool has_no_suffix_but(const std::vector<std::string>& suffixes,
                       std::initializer_list<std::string_view> known) {
    return std::all_of(suffixes.begin(), suffixes.end(), [&](const std::string& suffix) {
        return std::find(known.begin(), known.end(), suffix) != known.end();
    });
}

/// The 16 bits of a literal that a number of half precision is exactly; not of -0.
std::optional<std::uint32_t> bits_of_half(const ImmediateOperand& literal) {
    if (literal.text.find_first_of("xX") != std::string::npos) return std::nullopt;
    char* rest = nullptr;
    const double value = std::strtod(literal.text.c_str(), &rest);
    if (rest == literal.text.c_str() || *rest != '\0' || !std::isfinite(value)) return std::nullopt;
    if (value == 0) return std::signbit(value) ? std::nullopt : std::optional{std::uint32_t{0}};
    constexpr std::uint32_t fractions = 1024;
    const std::uint32_t sign = value < 0 ? 0x8000U : 0U;
    const double size = std::abs(value);
    // Every finite half is a whole number of 2^-24; from the exponent 2 on with a leading bit.
    for (std::uint32_t exponent = 1; exponent <= 30; ++exponent) {
        const double digits = std::ldexp(size, 25 - static_cast<int>(exponent));
        if (digits >= 2 * fractions) continue;
        const auto whole = static_cast<std::uint32_t>(digits);
        if (digits != whole) return std::nullopt;
        return sign + (exponent - 1) * fractions + whole;
    }
    return std::nullopt;
}

/// HFMA2 of two zeros: the halves that it adds.
std::optional<AffineForm> moved_literals(const Instruction& instruction,
                                         const std::vector<const Operand*>& numbers) {
    if (!has_only(instruction, {"MMA"}) || numbers.size() != 4) return std::nullopt;
    for (const std::size_t factor : {0U, 1U}) {
        const auto* zero = std::get_if<RegisterOperand>(numbers[factor]);
        if (zero == nullptr || zero->index || zero->file != RegisterFile::General)
            return std::nullopt;
    }
    const auto* high = std::get_if<ImmediateOperand>(numbers[2]);
    const auto* low = std::get_if<ImmediateOperand>(numbers[3]);
    if (high == nullptr || low == nullptr) return std::nullopt;
    const auto upper = bits_of_half(*high);
    const auto lower = bits_of_half(*low);
    if (!upper || !lower) return std::nullopt;
    return AffineForm::of((*upper << 16U) + *lower);
}

std::optional<AffineForm> product_of(const AffineForm& left, const AffineForm& right) {
    if (left.is_number()) return right * left.constant;
    if (right.is_number()) return left * right.constant;
    return std::nullopt;
}

std::optional<AffineForm> scaled_by_bits(const AffineForm& form, const AffineForm& bits) {
    if (!bits.is_number() || bits.constant > 31) return std::nullopt;
    return form * (std::uint32_t{1} << bits.constant);
}

/// Bit by bit, by bit 4a + 2b + c of the table.
std::optional<AffineForm> bits_by_lut(const std::vector<AffineForm>& inputs) {
    if (!std::all_of(inputs.begin(), inputs.end(),
                     [](const AffineForm& form) { return form.is_number(); }))
        return std::nullopt;
    const std::uint32_t table = inputs[3].constant;
    std::uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; ++bit) {
        const auto of = [&](std::size_t i) { return inputs[i].constant >> bit & 1U; };
        result |= (table >> (4 * of(0) + 2 * of(1) + of(2)) & 1U) << bit;
    }
    return AffineForm::of(result);
}

/// `SR_TID.Y` is index 1, `SR_CTAID.X` index 3.
std::optional<AffineForm> index_named(const Instruction& read) {
    if (!read.modifiers.empty() || read.operands.size() != 2) return std::nullopt;
    const auto* special = std::get_if<assembly::SpecialRegisterOperand>(&read.operands.back());
    if (special == nullptr) return std::nullopt;
    constexpr std::array<std::string_view, index_count> names{
        "SR_TID.X", "SR_TID.Y", "SR_TID.Z", "SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z"};
    const auto* const found = std::find(names.begin(), names.end(), special->name);
    if (found == names.end()) return std::nullopt;
    const auto index = static_cast<std::size_t>(found - names.begin());
    constexpr std::size_t indices_of_thread = 3;
    // A register of the warp holds that of one lane.
    if (read.mnemonic == "S2UR" && index < indices_of_thread) return std::nullopt;
    return AffineForm::of_index(index);
}

std::optional<bool> both(std::optional<bool> a, std::optional<bool> b) {
    if (a == std::optional{false} || b == std::optional{false}) return false;
    return a && b ? std::optional{true} : std::nullopt;
}

std::optional<bool> opposite(std::optional<bool> truth) {
    return truth ? std::optional{!*truth} : std::nullopt;
}

std::optional<bool> combined(CompareForm::Combination how, std::optional<bool> a,
                             std::optional<bool> b) {
    switch (how) {
    case CompareForm::Combination::And:
        return both(a, b);
    case CompareForm::Combination::Or:
        return opposite(both(opposite(a), opposite(b)));
    default:
        return a && b ? std::optional{*a != *b} : std::nullopt;
    }
}

/// The first operand names the register.
bool writes_first(const Instruction& instruction, Register reg) {
    if (instruction.operands.empty()) return false;
    const auto* into = std::get_if<RegisterOperand>(&instruction.operands.front());
    return into != nullptr && into->file == reg.file && into->index == reg.index &&
           has_no_suffix_but(into->suffixes, {"CC"});
}

} // namespace

std::optional<AffineForm> FormReader::number(const Operand& operand) const {
    const auto signed_form = [](const AffineForm& form, bool negated) {
        return negated ? -form : form;
    };
    if (const auto* reg = std::get_if<RegisterOperand>(&operand)) {
        const bool is_number =
            reg->file == RegisterFile::General || reg->file == RegisterFile::Uniform;
        if (!is_number || reg->absolute || reg->inverted ||
            !has_no_suffix_but(reg->suffixes, {"reuse"}))
            return std::nullopt;
        if (!reg->index) return AffineForm{};
        const auto known = forms_.numbers.find({reg->file, *reg->index});
        if (known == forms_.numbers.end()) return std::nullopt;
        return signed_form(known->second, reg->negated);
    }
    if (const auto* literal = std::get_if<ImmediateOperand>(&operand)) {
        if (!literal->integer || *literal->integer < std::numeric_limits<std::int32_t>::min() ||
            *literal->integer > std::numeric_limits<std::uint32_t>::max())
            return std::nullopt;
        return AffineForm::of(static_cast<std::uint32_t>(*literal->integer));
    }
    const auto* word = std::get_if<ConstantOperand>(&operand);
    if (word == nullptr || word->index_register.value_or(-1) >= 0 ||
        word->uniform_register.value_or(-1) >= 0 || word->bank_register || word->absolute ||
        word->inverted || !word->suffixes.empty())
        return std::nullopt;
    const NumberSet stated = word->bank == 0 ? launch_.word(word->offset) : NumberSet{};
    return signed_form(stated.is_single() ? AffineForm::of(stated.first())
                                          : AffineForm::of_word({word->bank, word->offset}),
                       word->negated);
}

std::optional<bool> FormReader::truth(const RegisterOperand& predicate) const {
    if (!predicate.index) return !predicate.negated;
    const auto known = forms_.truths.find({predicate.file, *predicate.index});
    if (known == forms_.truths.end()) return std::nullopt;
    return known->second != predicate.negated;
}

std::optional<bool> FormReader::executes(const Instruction& instruction) const {
    return instruction.guard ? truth(instruction.guard->predicate) : true;
}

std::optional<AffineForm> FormReader::number_written(const Instruction& instruction,
                                                     Register reg) const {
    const SourceOperands sources = sources_of(instruction);
    const std::string_view name = name_on_lanes(instruction);
    if (name == "LDC" || name == "LDCU") {
        const auto* first = std::get_if<RegisterOperand>(&instruction.operands.front());
        const auto* word = sources.numbers.size() == 1
                               ? std::get_if<ConstantOperand>(sources.numbers.front())
                               : nullptr;
        if (!has_only(instruction, {"64", "128"}) || first == nullptr || !first->index ||
            first->file != reg.file || reg.index < *first->index || word == nullptr)
            return std::nullopt;
        ConstantOperand own = *word;
        own.offset += 4 * std::int64_t{reg.index - *first->index};
        return number(own);
    }
    if (!writes_first(instruction, reg)) return std::nullopt;
    if (name == "S2R" || name == "S2UR") return index_named(instruction);
    if (name == "HFMA2") return moved_literals(instruction, sources.numbers);
    std::vector<AffineForm> inputs;
    for (const Operand* operand : sources.numbers) {
        auto form = number(*operand);
        if (!form) return std::nullopt;
        inputs.push_back(std::move(*form));
    }
    const auto takes = [&](std::string_view of, std::size_t count,
                           std::initializer_list<std::string_view> modifiers = {}) {
        return name == of && inputs.size() == count && has_only(instruction, modifiers);
    };
    if (takes("MOV", 1) || takes("MOV32I", 1)) return inputs[0];
    if (takes("IADD", 2) || takes("IADD32I", 2) || takes("VIADD", 2)) return inputs[0] + inputs[1];
    if (takes("IADD3", 3)) return inputs[0] + inputs[1] + inputs[2];
    // The low word of a wide product is that of the words.
    if (takes("IMAD", 3, {"MOV", "IADD", "SHL", "WIDE", "U32"})) {
        const auto product = product_of(inputs[0], inputs[1]);
        return product ? std::optional{*product + inputs[2]} : std::nullopt;
    }
    if (takes("SHL", 2)) return scaled_by_bits(inputs[0], inputs[1]);
    if (takes("LEA", 3)) {
        const auto scaled = scaled_by_bits(inputs[0], inputs[2]);
        return scaled ? std::optional{*scaled + inputs[1]} : std::nullopt;
    }
    // What SHF shifts in is its third source. Without a type it gives the upper word, as up to
    // Pascal.
    if (takes("SHF", 3, {"L", "U32"}) && instruction.has_modifier("L") &&
        instruction.has_modifier("U32") && inputs[2] == AffineForm{})
        return scaled_by_bits(inputs[0], inputs[1]);
    if (takes("LOP3", 4, {"LUT"})) return bits_by_lut(inputs);
    return std::nullopt;
}

std::optional<bool> FormReader::truth_written(const Instruction& instruction, Register reg) const {
    if (!writes_first(instruction, reg)) return std::nullopt;
    if (const auto compare = compare_form(instruction)) {
        if (compare->is_extended) return std::nullopt;
        const auto left = number(*compare->left);
        const auto right = number(*compare->right);
        const auto holds =
            left && right ? holds_in_box(compare->order, compare->is_signed, *left, *right, box_)
                          : std::nullopt;
        return combined(compare->combination, holds, truth(*compare->with));
    }
    const auto logic = predicate_logic(instruction);
    if (!logic) return std::nullopt;
    std::optional<bool> result;
    for (unsigned row = 0; row < 8; ++row) {
        bool is_possible = true;
        for (unsigned i = 0; i < 3; ++i)
            is_possible = is_possible &&
                          truth(*logic->sources[i]) != std::optional{(row >> (2 - i) & 1U) == 0};
        if (!is_possible) continue;
        const bool value = (logic->table >> row & 1U) != 0;
        if (result && *result != value) return std::nullopt;
        result = value;
    }
    return result;
}

std::optional<AffineForm> FormReader::address(const Instruction& access) const {
    const assembly::MemoryOperand* place = nullptr;
    for (const Operand& operand : access.operands)
        if (const auto* one = std::get_if<assembly::MemoryOperand>(&operand)) {
            if (place != nullptr) return std::nullopt;
            place = one;
        }
    if (place == nullptr) return std::nullopt;
    AffineForm sum = AffineForm::of(static_cast<std::uint32_t>(place->offset));
    for (const auto* part : {&place->base, &place->uniform}) {
        if (!*part) continue;
        RegisterOperand plain = **part;
        if (plain.negated || !has_no_suffix_but(plain.suffixes, {"64", "U32", "reuse"}))
            return std::nullopt;
        plain.suffixes.clear();
        const auto added = number(plain);
        if (!added) return std::nullopt;
        sum = sum + *added;
    }
    return sum;
}

} // namespace warpbound::certification::verify
