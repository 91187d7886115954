#include "analyzer/value/operand_forms.hpp"

#include <algorithm>
#include <array>
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

std::optional<Comparator> comparator_of(const Instruction& instruction) {
    constexpr std::array<std::pair<std::string_view, Comparator>, 6> names{
        {{"LT", Comparator::Less},
         {"LE", Comparator::LessEqual},
         {"EQ", Comparator::Equal},
         {"NE", Comparator::NotEqual},
         {"GE", Comparator::GreaterEqual},
         {"GT", Comparator::Greater}}};
    if (!only_modifiers(instruction, {"LT", "LE", "EQ", "NE", "GE", "GT", "U32", "AND", "OR"}))
        return std::nullopt;
    for (const auto& [name, comparator] : names)
        if (instruction.has_modifier(name)) return comparator;
    return std::nullopt;
}

std::optional<std::uint32_t> value_of(const assembly::ImmediateOperand& immediate) {
    if (!immediate.integer || *immediate.integer < std::numeric_limits<std::int32_t>::min() ||
        *immediate.integer > std::numeric_limits<std::uint32_t>::max())
        return std::nullopt;
    return static_cast<std::uint32_t>(*immediate.integer);
}

} // namespace warpbound::analyzer
