#include "analyzer/value/wavefront_operands.hpp"

#include "assembly/amd/lane_mask.hpp"
#include "assembly/amd/state_registers.hpp"

#include <charconv>
#include <string>
#include <system_error>
#include <variant>

namespace warpbound::analyzer {

using assembly::Register;
using assembly::RegisterFile;
using assembly::amd::StateRegister;

namespace {

constexpr int accumulation_from = 256; ///< AGPRs stand behind the VGPRs.
constexpr int all_lanes_from = 512;
constexpr int temporaries_from = 1024;
constexpr int masks_from = 2;
constexpr int m0_number = 124; ///< As the encodings have it.

std::optional<int> number_in(std::string_view text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
    return number;
}

std::optional<Register> state_register(std::string_view text, int word) {
    const auto at = [&](StateRegister first) {
        return Register{RegisterFile::State, static_cast<int>(first) + word};
    };
    if (word > 1) return std::nullopt;
    if (text == "vcc") return at(StateRegister::VccLo);
    if (text == "exec") return at(StateRegister::ExecLo);
    if (word > 0) return std::nullopt;
    if (text == "vcc_lo") return at(StateRegister::VccLo);
    if (text == "vcc_hi") return at(StateRegister::VccHi);
    if (text == "m0") return at(StateRegister::M0);
    return std::nullopt;
}

} // namespace

Register lane_register(Register reg, View view) {
    return {RegisterFile::General, reg.index +
                                       (reg.file == RegisterFile::Vector ? 0 : accumulation_from) +
                                       (view == View::All ? all_lanes_from : 0)};
}

Register temporary(int number) {
    return {RegisterFile::General, temporaries_from + number};
}

std::optional<MaskId> mask_in(std::string_view text, int lanes) {
    const auto first = assembly::amd::mask_register(text, lanes);
    return first ? mask_with(*first, lanes) : std::nullopt;
}

std::optional<MaskId> mask_with(Register reg, int lanes) {
    const bool is_pair = lanes == 64;
    if (reg.file == RegisterFile::Scalar)
        return reg.index < vcc_mask ? std::optional{reg.index - (is_pair ? reg.index % 2 : 0)}
                                    : std::nullopt;
    if (reg.file != RegisterFile::State) return std::nullopt;
    switch (static_cast<StateRegister>(reg.index)) {
    case StateRegister::VccLo:
        return vcc_mask;
    case StateRegister::VccHi:
        return is_pair ? vcc_mask : vcc_mask + 1;
    case StateRegister::ExecLo:
        return exec_mask;
    case StateRegister::ExecHi: // Of 32 lanes it is nothing.
        return is_pair ? std::optional{exec_mask} : std::nullopt;
    default:
        return std::nullopt;
    }
}

Register mask_predicate(MaskId mask, View view) {
    return {RegisterFile::Predicate, masks_from + 2 * mask + (view == View::All ? 1 : 0)};
}

std::optional<Register> number_register(Register reg) {
    if (reg.file == RegisterFile::Scalar) return Register{RegisterFile::Uniform, reg.index};
    if (reg.file != RegisterFile::State) return std::nullopt;
    switch (static_cast<StateRegister>(reg.index)) {
    case StateRegister::VccLo:
        return Register{RegisterFile::Uniform, vcc_mask};
    case StateRegister::VccHi:
        return Register{RegisterFile::Uniform, vcc_mask + 1};
    case StateRegister::M0:
        return Register{RegisterFile::Uniform, m0_number};
    default:
        return std::nullopt;
    }
}

std::optional<Register> register_in(std::string_view text, int word) {
    if (const auto state = state_register(text, word)) return state;
    if (text.size() < 2) return std::nullopt;
    const RegisterFile file = text[0] == 'v'   ? RegisterFile::Vector
                              : text[0] == 'a' ? RegisterFile::Accumulation
                                               : RegisterFile::Scalar;
    if (file == RegisterFile::Scalar && text[0] != 's') return std::nullopt;
    text.remove_prefix(1);
    if (text.front() != '[') {
        const auto index = number_in(text);
        return index && word == 0 ? std::optional{Register{file, *index}} : std::nullopt;
    }
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || text.back() != ']') return std::nullopt;
    const auto first = number_in(text.substr(1, colon - 1));
    const auto last = number_in(text.substr(colon + 1, text.size() - colon - 2));
    if (!first || !last || *first + word > *last) return std::nullopt;
    return Register{file, *first + word};
}

std::optional<std::int64_t> integer_in(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    const bool hexadecimal = text.starts_with("0x");
    if (hexadecimal) text.remove_prefix(2);
    std::int64_t number = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), number, hexadecimal ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return negative ? -number : number;
}

std::string_view text_of_operand(const assembly::Instruction& instruction, std::size_t index) {
    if (index >= instruction.operands.size()) return {};
    const auto* const text = std::get_if<assembly::TextOperand>(&instruction.operands[index]);
    return text == nullptr ? std::string_view{} : std::string_view{text->text};
}

std::optional<std::int64_t> field_of(const assembly::Instruction& instruction,
                                     std::string_view name) {
    if (instruction.operands.empty()) return std::nullopt;
    std::string_view text = text_of_operand(instruction, instruction.operands.size() - 1);
    while (!text.empty()) {
        const std::string_view field = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), field.size() + 1));
        if (field.starts_with(name) && field.size() > name.size() && field[name.size()] == ':')
            return integer_in(field.substr(name.size() + 1));
    }
    return std::nullopt;
}

std::string_view without_fields(std::string_view text) {
    return text.substr(0, text.find(' '));
}

std::string_view plain_name(std::string_view mnemonic) {
    for (const std::string_view suffix : {"_e32", "_e64"})
        if (mnemonic.ends_with(suffix)) return mnemonic.substr(0, mnemonic.size() - suffix.size());
    return mnemonic;
}

} // namespace warpbound::analyzer
