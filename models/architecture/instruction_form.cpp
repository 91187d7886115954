#include "models/architecture/instruction_form.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

namespace warpbound::models {
namespace {

using assembly::Instruction;

/// "regular", "uniform"; empty for other addresses.
std::string_view kind_of(const assembly::MemoryOperand& address) {
    const bool regular = address.base && address.base->index;
    const bool uniform = address.uniform && address.uniform->index;
    if (regular == uniform) return {};
    return regular ? "regular" : "uniform";
}

/// "regular", "immediate"; empty for other offsets.
std::string_view kind_of(const assembly::ConstantOperand& constant) {
    if (constant.uniform_register || constant.bank_register) return {};
    if (!constant.index_register) return "immediate";
    return *constant.index_register >= 0 ? "regular" : std::string_view{};
}

/// Of the only address; empty where there is none or several.
template <class Address> std::string_view kind_of_address(const Instruction& instruction) {
    const Address* found = nullptr;
    for (const assembly::Operand& operand : instruction.operands)
        if (const auto* address = std::get_if<Address>(&operand)) {
            if (found != nullptr) return {};
            found = address;
        }
    return found == nullptr ? std::string_view{} : kind_of(*found);
}

constexpr auto by_mnemonic =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"MATCH", "match"},
                                                                  {"REDUX", "reduction"},
                                                                  {"CREDUX", "reduction"},
                                                                  {"MOVM", "matrix"},
                                                                  {"LDGDEPBAR", "copies"},
                                                                  {"DMMA", "double"},
                                                                  {"HGMMA", "warpgroup"},
                                                                  {"IGMMA", "warpgroup"},
                                                                  {"BGMMA", "warpgroup"},
                                                                  {"QGMMA", "warpgroup"}});

std::optional<InstructionForm> access_form(const Instruction& instruction) {
    constexpr std::array past_the_l1{"STRONG", "MMIO"};
    for (const std::string_view modifier : past_the_l1)
        if (instruction.has_modifier(modifier)) return std::nullopt;
    const std::string_view kind = instruction.mnemonic == "LDC"
                                      ? kind_of_address<assembly::ConstantOperand>(instruction)
                                      : kind_of_address<assembly::MemoryOperand>(instruction);
    const int bytes = instruction.effects.memory ? instruction.effects.memory->bytes_per_lane : 0;
    const bool known = bytes == 4 || bytes == 8 || bytes == 16;
    if (kind.empty() || !known) return std::nullopt;
    return InstructionForm{.name = fmt::format("{}-{}", kind, 8 * bytes), .words = bytes / 4};
}

/// A conversion from or to a type of 64 bits.
bool converts_64_bits(const Instruction& instruction) {
    constexpr std::array types{"F64", "S64", "U64"};
    return instruction.opcode_class == assembly::OpcodeClass::Conversion &&
           std::ranges::any_of(
               types, [&](const char* const type) { return instruction.has_modifier(type); });
}

} // namespace

std::optional<InstructionForm> instruction_form(const Instruction& instruction) {
    const std::string_view mnemonic = instruction.mnemonic;
    for (const std::string_view access : {"LDG", "STG", "LDS", "STS", "LDC"})
        if (mnemonic == access) return access_form(instruction);
    if (mnemonic == "LDGSTS" && instruction.effects.memory)
        return InstructionForm{
            .name = "copy", .words = std::max(1, instruction.effects.memory->bytes_per_lane / 4)};
    if (mnemonic == "IMAD" && instruction.has_modifier("WIDE"))
        return InstructionForm{.name = "wide"};
    if (converts_64_bits(instruction)) return InstructionForm{.name = "double"};
    for (const auto& [named, form] : by_mnemonic)
        if (mnemonic == named) return InstructionForm{.name = std::string{form}};
    if (mnemonic != "MEMBAR") return std::nullopt;
    constexpr std::array scopes{std::pair{"CTA", "cta"}, std::pair{"GPU", "gpu"},
                                std::pair{"SYS", "sys"}};
    for (const auto& [modifier, name] : scopes)
        if (instruction.has_modifier(modifier)) return InstructionForm{.name = name};
    return std::nullopt;
}

bool is_told_by_mnemonic(std::string_view form) {
    return std::ranges::any_of(by_mnemonic, [&](const auto& told) { return told.second == form; });
}

} // namespace warpbound::models
