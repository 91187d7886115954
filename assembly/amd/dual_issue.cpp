#include "assembly/amd/dual_issue.hpp"

#include "assembly/amd/opcodes.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

namespace warpbound::assembly::amd {

namespace {

constexpr std::string_view dual = "v_dual_";
constexpr std::string_view between = " :: ";

/// The VGPR that "v4" names.
std::optional<Register> vector_register(std::string_view text) {
    if (!text.starts_with('v')) return std::nullopt;
    int index = 0;
    const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), index);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return Register{RegisterFile::Vector, index};
}

/// "v_mov_b32" of "v_dual_mov_b32"; empty for other names.
std::string single_name(std::string_view mnemonic) {
    if (!mnemonic.starts_with(dual)) return {};
    return "v_" + std::string{mnemonic.substr(dual.size())};
}

/// Fills in what its name and operands say; false where they are not those of an operation.
bool complete(Instruction& component) {
    if (component.mnemonic.empty() || component.operands.empty()) return false;
    const auto* const first = std::get_if<TextOperand>(&component.operands.front());
    const auto written = first == nullptr ? std::nullopt : vector_register(first->text);
    if (!written) return false;
    component.effects.writes = {*written};
    component.opcode_class = properties_of(component.mnemonic).opcode_class;
    if (component.mnemonic == "v_cndmask_b32") // It takes VCC, which is not printed.
        component.operands.emplace_back(TextOperand{"vcc_lo"});
    return true;
}

} // namespace

std::optional<std::array<Instruction, 2>> dual_components(const Instruction& instruction) {
    if (!instruction.mnemonic.starts_with(dual)) return std::nullopt;
    std::array<Instruction, 2> parts{instruction, instruction};
    for (Instruction& part : parts)
        part.operands.clear();
    parts[0].mnemonic = single_name(instruction.mnemonic);
    parts[1].mnemonic.clear();
    for (const Operand& operand : instruction.operands) {
        const auto* const text = std::get_if<TextOperand>(&operand);
        if (text == nullptr) return std::nullopt;
        const std::size_t at = text->text.find(between);
        if (at == std::string::npos) {
            parts.at(parts[1].mnemonic.empty() ? 0 : 1).operands.push_back(operand);
            continue;
        }
        // "0 :: v_dual_mov_b32 v1": the last operand of one, name and first operand of the other.
        if (!parts[1].mnemonic.empty()) return std::nullopt;
        parts[0].operands.emplace_back(TextOperand{text->text.substr(0, at)});
        const std::string_view rest = std::string_view{text->text}.substr(at + between.size());
        const std::size_t blank = std::min(rest.find(' '), rest.size());
        parts[1].mnemonic = single_name(rest.substr(0, blank));
        if (blank < rest.size())
            parts[1].operands.emplace_back(TextOperand{std::string{rest.substr(blank + 1)}});
    }
    if (!complete(parts[0]) || !complete(parts[1])) return std::nullopt;
    return parts;
}

} // namespace warpbound::assembly::amd
