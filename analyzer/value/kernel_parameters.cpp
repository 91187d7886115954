#include "analyzer/value/kernel_parameters.hpp"

#include <fmt/format.h>

#include <optional>
#include <variant>

namespace warpbound::analyzer {

namespace {

std::optional<std::uint32_t> given(const assembly::ConstantOperand& word,
                                   const KernelParameters& words) {
    if (word.bank != 0 || word.index_register || word.uniform_register || word.bank_register ||
        word.absolute || !word.suffixes.empty())
        return std::nullopt;
    const auto found = words.find(word.offset);
    if (found == words.end() || found->second.bits < 32) return std::nullopt;
    const std::uint32_t plain = found->second.value;
    const std::uint32_t negated = word.negated ? 0 - plain : plain;
    return word.inverted ? ~negated : negated;
}

} // namespace

assembly::Function with_words(const assembly::Function& function, const KernelParameters& words) {
    assembly::Function replaced = function;
    for (assembly::Instruction& instruction : replaced.instructions)
        for (assembly::Operand& operand : instruction.operands)
            if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand))
                if (const auto value = given(*word, words))
                    operand = assembly::ImmediateOperand{fmt::format("0x{:x}", *value), *value};
    return replaced;
}

} // namespace warpbound::analyzer
