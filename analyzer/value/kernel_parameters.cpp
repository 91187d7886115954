#include "analyzer/value/kernel_parameters.hpp"

#include <fmt/format.h>

#include <optional>
#include <variant>

namespace warpbound::analyzer {

namespace {

/// The operand's value; nothing when it is not a whole word that is stated.
std::optional<std::uint32_t> parameter_value(const assembly::ConstantOperand& word,
                                             const KernelParameters& parameters) {
    if (word.bank != 0 || word.index_register || word.uniform_register || word.bank_register ||
        word.absolute || !word.suffixes.empty())
        return std::nullopt;
    const auto found = parameters.find(word.offset);
    if (found == parameters.end() || found->second.bits < 32) return std::nullopt;
    const std::uint32_t plain = found->second.value;
    const std::uint32_t negated = word.negated ? 0 - plain : plain;
    return word.inverted ? ~negated : negated;
}

} // namespace

assembly::Function with_parameters(const assembly::Function& function,
                                   const KernelParameters& parameters) {
    assembly::Function replaced = function;
    for (assembly::Instruction& instruction : replaced.instructions)
        for (assembly::Operand& operand : instruction.operands)
            if (const auto* word = std::get_if<assembly::ConstantOperand>(&operand))
                if (const auto value = parameter_value(*word, parameters))
                    operand = assembly::ImmediateOperand{fmt::format("0x{:x}", *value), *value};
    return replaced;
}

KernelParameters block_extents(assembly::Target target, const models::BlockShape& shape) {
    const bool from_zero = target.sm >= 70 && target.sm <= 90;
    if (!from_zero && (target.sm < 50 || target.sm > 62)) return {};
    KernelParameters words;
    std::int64_t offset = from_zero ? 0x0 : 0x8;
    for (const std::int64_t threads : shape.threads) {
        words[offset] = {static_cast<std::uint32_t>(threads), 32};
        offset += 4;
    }
    return words;
}

} // namespace warpbound::analyzer
