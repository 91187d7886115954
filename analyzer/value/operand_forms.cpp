#include "analyzer/value/operand_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace warpbound::analyzer {

using assembly::Instruction;
using assembly::RegisterOperand;

const RegisterOperand* as_predicate(const assembly::Operand& operand) {
    const auto* reg = std::get_if<RegisterOperand>(&operand);
    return reg != nullptr && is_predicate(reg->file) ? reg : nullptr;
}

bool only_suffix(const std::vector<std::string>& suffixes, std::string_view allowed) {
    return std::all_of(suffixes.begin(), suffixes.end(),
                       [&](const std::string& suffix) { return suffix == allowed; });
}

bool only_modifiers(const Instruction& instruction,
                    std::initializer_list<std::string_view> allowed) {
    return std::all_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                       [&](const std::string& modifier) {
                           return std::find(allowed.begin(), allowed.end(), modifier) !=
                                  allowed.end();
                       });
}

std::optional<Comparator> comparator_of(const Instruction& instruction, std::string_view logic) {
    constexpr std::array<std::pair<std::string_view, Comparator>, 6> names{
        {{"LT", Comparator::Less},
         {"LE", Comparator::LessEqual},
         {"EQ", Comparator::Equal},
         {"NE", Comparator::NotEqual},
         {"GE", Comparator::GreaterEqual},
         {"GT", Comparator::Greater}}};
    if (!only_modifiers(instruction,
                        {"LT", "LE", "EQ", "NE", "GE", "GT", "U32", "AND", "OR", logic}))
        return std::nullopt;
    for (const auto& [name, comparator] : names)
        if (instruction.has_modifier(name)) return comparator;
    return std::nullopt;
}

bool is_extended_comparison(const Instruction& instruction) {
    return (instruction.mnemonic == "ISETP" || instruction.mnemonic == "UISETP") &&
           instruction.has_modifier("EX") && instruction.operands.size() == 6;
}

bool negates_pair(const Instruction& lea) {
    const auto is_negated = [](const assembly::Operand& operand) {
        if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand))
            return word->negated;
        const auto* reg = std::get_if<RegisterOperand>(&operand);
        return reg != nullptr && !is_predicate(reg->file) && reg->negated;
    };
    const auto& operands = lea.operands;
    const auto shifted = std::find_if(operands.begin(), operands.end(), [&](const auto& operand) {
        return &operand != &operands.front() && as_predicate(operand) == nullptr;
    });
    return lea.has_modifier("HI") && shifted != operands.end() && is_negated(*shifted);
}

bool is_one_word(const assembly::ConstantOperand& constant) {
    return constant.index_register.value_or(-1) < 0 && constant.uniform_register.value_or(-1) < 0 &&
           !constant.bank_register;
}

namespace {

/// The encoding of a number that is exactly a half, other than -0 and infinities.
std::optional<std::uint32_t> encoded_half(const std::string& text) {
    if (text.find_first_of("xX") != std::string::npos) return std::nullopt; // May be bits.
    char* end = nullptr;
    const double number = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
    if (number == 0) return std::signbit(number) ? std::nullopt : std::optional<std::uint32_t>{0U};
    constexpr int least_exponent = -14;
    constexpr int most_exponent = 15;
    constexpr int fraction_bits = 10;
    const int exponent = std::max(std::ilogb(number), least_exponent);
    if (exponent > most_exponent) return std::nullopt;
    // The fraction with its leading one, which numbers below the least exponent do not have.
    const double scaled = std::ldexp(std::abs(number), fraction_bits - exponent);
    const auto digits = static_cast<std::uint32_t>(scaled);
    if (scaled != digits) return std::nullopt;
    const std::uint32_t sign = std::signbit(number) ? 0x8000U : 0U;
    return sign + (static_cast<std::uint32_t>(exponent - least_exponent) << fraction_bits) + digits;
}

} // namespace

std::optional<std::uint32_t> moved_halves(const Instruction& instruction) {
    const auto& operands = instruction.operands;
    if (instruction.mnemonic != "HFMA2" || !only_modifiers(instruction, {"MMA"}) ||
        operands.size() != 5)
        return std::nullopt;
    const auto is_zero = [](const assembly::Operand& factor) {
        const auto* reg = std::get_if<RegisterOperand>(&factor);
        return reg != nullptr && reg->file == assembly::RegisterFile::General && !reg->index;
    };
    const auto half = [](const assembly::Operand& addend) -> std::optional<std::uint32_t> {
        const auto* immediate = std::get_if<assembly::ImmediateOperand>(&addend);
        return immediate != nullptr ? encoded_half(immediate->text) : std::nullopt;
    };
    const auto high = half(operands[3]);
    const auto low = half(operands[4]);
    if (!is_zero(operands[1]) || !is_zero(operands[2]) || !high || !low) return std::nullopt;
    return *high << 16U | *low;
}

std::optional<Geometry> geometry_read(const Instruction& instruction) {
    const bool is_of_warp = instruction.mnemonic == "S2UR";
    if ((instruction.mnemonic != "S2R" && !is_of_warp) || instruction.operands.size() != 2 ||
        !instruction.modifiers.empty())
        return std::nullopt;
    const auto* special = std::get_if<assembly::SpecialRegisterOperand>(&instruction.operands[1]);
    const auto number = special == nullptr ? std::nullopt : geometry_in(special->name);
    const bool differs_in_lanes =
        number && (*number <= Geometry::ThreadZ || *number == Geometry::Lane);
    return is_of_warp && differs_in_lanes ? std::nullopt : number;
}

std::size_t loaded_words(const Instruction& instruction) {
    const auto& name = instruction.mnemonic;
    if ((name != "LDC" && name != "ULDC" && name != "LDCU") ||
        !only_modifiers(instruction, {"64", "128"}))
        return 0;
    return instruction.has_modifier("128") ? 4 : instruction.has_modifier("64") ? 2 : 1;
}

std::optional<assembly::Operand> loaded_word(const Instruction& instruction,
                                             assembly::Register written) {
    const std::size_t words = loaded_words(instruction);
    const auto& operands = instruction.operands;
    if (words == 0 || (operands.size() != 2 && operands.size() != words + 1)) return std::nullopt;
    const auto* first = std::get_if<RegisterOperand>(&operands.front());
    if (first == nullptr || !first->index || first->file != written.file ||
        written.index < *first->index)
        return std::nullopt;
    const auto word = static_cast<std::size_t>(written.index - *first->index);
    if (word >= words) return std::nullopt;
    if (operands.size() == words + 1) return operands[word + 1];
    const auto* constant = std::get_if<assembly::ConstantOperand>(&operands[1]);
    if (constant == nullptr || !is_one_word(*constant))
        return word == 0 ? std::optional{operands[1]} : std::nullopt;
    constexpr std::int64_t word_size = 4; // Bytes.
    assembly::ConstantOperand one = *constant;
    one.offset += static_cast<std::int64_t>(word) * word_size;
    return one;
}

std::optional<std::uint32_t> value_of(const assembly::ImmediateOperand& immediate) {
    if (!immediate.integer || *immediate.integer < std::numeric_limits<std::int32_t>::min() ||
        *immediate.integer > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    return static_cast<std::uint32_t>(*immediate.integer);
}

} // namespace warpbound::analyzer
