#include "assembly/isa/operand_reader.hpp"

#include "assembly/amd/state_registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace warpbound::assembly {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_name(char c) {
    return is_digit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
           c == '$' || c == '.';
}

std::optional<std::int64_t> read_integer(std::string_view text) {
    bool negative = false;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    int base = 10;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text.remove_prefix(2);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    if (value > static_cast<std::uint64_t>(INT64_MAX)) return std::nullopt;
    return negative ? -static_cast<std::int64_t>(value) : static_cast<std::int64_t>(value);
}

/// A register name without decorations: file, index (none for the constant register) and its
/// suffixes.
std::optional<RegisterOperand> read_register(std::string_view text) {
    RegisterOperand reg;
    const std::size_t dot = text.find('.');
    std::string_view name = text.substr(0, dot);
    if (name == "CC") {
        reg.file = RegisterFile::Carry;
        reg.index = 0;
    } else {
        std::string_view number;
        if (name.substr(0, 2) == "UR") {
            reg.file = RegisterFile::Uniform;
            number = name.substr(2);
        } else if (name.substr(0, 2) == "UP") {
            reg.file = RegisterFile::UniformPredicate;
            number = name.substr(2);
        } else if (name.substr(0, 1) == "R") {
            reg.file = RegisterFile::General;
            number = name.substr(1);
        } else if (name.substr(0, 1) == "P") {
            reg.file = RegisterFile::Predicate;
            number = name.substr(1);
        } else if (name.substr(0, 1) == "B") {
            reg.file = RegisterFile::Barrier;
            number = name.substr(1);
        } else
            return std::nullopt;
        const bool predicate =
            reg.file == RegisterFile::Predicate || reg.file == RegisterFile::UniformPredicate;
        if (number == (predicate ? "T" : "Z") && reg.file != RegisterFile::Barrier) {
            reg.index = std::nullopt;
        } else {
            int index = 0;
            const auto [end, error] =
                std::from_chars(number.data(), number.data() + number.size(), index);
            const int limit = predicate                           ? 7
                              : reg.file == RegisterFile::General ? 255
                              : reg.file == RegisterFile::Uniform ? 255
                                                                  : 16;
            if (number.empty() || error != std::errc{} || end != number.data() + number.size() ||
                index < 0 || index >= limit)
                return std::nullopt;
            reg.index = index;
        }
    }
    while (text.find('.') != std::string_view::npos) {
        text.remove_prefix(text.find('.') + 1);
        reg.suffixes.emplace_back(text.substr(0, text.find('.')));
    }
    return reg;
}

/// `-`, `~`, `!`, `|..|` around an operand.
struct Decorations {
    bool negated = false;      ///< `-`
    bool complemented = false; ///< `!`
    bool inverted = false;     ///< `~`
    bool absolute = false;     ///< `|..|`
};

std::string_view strip(std::string_view text, Decorations& decorations) {
    if (!text.empty() && (text.front() == '-' || text.front() == '!')) {
        decorations.negated = text.front() == '-';
        decorations.complemented = text.front() == '!';
        text.remove_prefix(1);
    }
    if (!text.empty() && text.front() == '~') {
        decorations.inverted = true;
        text.remove_prefix(1);
    }
    if (text.size() >= 2 && text.front() == '|' && text.find('|', 1) == text.size() - 1) {
        decorations.absolute = true;
        text = text.substr(1, text.size() - 2);
    }
    return text;
}

/// Takes `[..]` from the front; nothing when it is not there.
std::optional<std::string_view> take_brackets(std::string_view& text) {
    while (!text.empty() && text.front() == ' ')
        text.remove_prefix(1);
    if (text.empty() || text.front() != '[') return std::nullopt;
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    const std::string_view inside = text.substr(1, close - 1);
    text.remove_prefix(close + 1);
    return inside;
}

/// Parts of an address expression `A+B+-0x10`.
struct AddressParts {
    std::optional<RegisterOperand> base;
    std::optional<RegisterOperand> uniform;
    std::int64_t offset = 0;
    bool has_offset = false;
};

std::optional<AddressParts> read_address(std::string_view text) {
    AddressParts parts;
    while (true) {
        const std::size_t plus = text.find('+');
        const std::string_view part = trimmed(text.substr(0, plus));
        if (const auto reg = read_register(part)) {
            if (reg->file == RegisterFile::General && !parts.base)
                parts.base = reg;
            else if (reg->file == RegisterFile::Uniform && !parts.uniform)
                parts.uniform = reg;
            else
                return std::nullopt;
        } else if (const auto integer = read_integer(part); integer && !parts.has_offset) {
            parts.offset = *integer;
            parts.has_offset = true;
        } else {
            return std::nullopt;
        }
        if (plus == std::string_view::npos) return parts;
        text.remove_prefix(plus + 1);
    }
}

std::optional<Operand> read_constant(std::string_view text, const Decorations& decorations) {
    const bool bindless = text.substr(0, 2) == "cx";
    text.remove_prefix(bindless ? 2 : 1);
    const auto bank = take_brackets(text);
    const auto address = bank ? take_brackets(text) : std::nullopt;
    if (!bank || !address) return std::nullopt;
    ConstantOperand constant;
    if (const auto number = read_integer(*bank)) {
        constant.bank = *number;
    } else if (const auto reg = read_register(*bank);
               reg && reg->file == RegisterFile::Uniform && reg->index) {
        constant.bank_register = reg->index;
    } else {
        return std::nullopt;
    }
    const auto parts = read_address(*address);
    if (!parts || (parts->base && !parts->base->suffixes.empty())) return std::nullopt;
    if (parts->base) constant.index_register = parts->base->index.value_or(-1);
    if (parts->uniform) constant.uniform_register = parts->uniform->index.value_or(-1);
    constant.offset = parts->offset;
    constant.negated = decorations.negated;
    constant.absolute = decorations.absolute;
    constant.inverted = decorations.inverted;
    while (!text.empty() && text.front() == '.') {
        text.remove_prefix(1);
        const std::size_t dot = text.find('.');
        constant.suffixes.emplace_back(text.substr(0, dot));
        text = dot == std::string_view::npos ? std::string_view{} : text.substr(dot);
    }
    if (!text.empty()) return std::nullopt;
    return constant;
}

std::optional<Operand> read_memory(std::string_view text) {
    MemoryOperand memory;
    if (text.substr(0, 4) == "desc") {
        text.remove_prefix(4);
        const auto descriptor = take_brackets(text);
        const auto reg = descriptor ? read_register(*descriptor) : std::nullopt;
        if (!reg || reg->file != RegisterFile::Uniform) return std::nullopt;
        memory.descriptor = reg;
    }
    const auto address = take_brackets(text);
    if (!address || !text.empty()) return std::nullopt;
    const auto parts = read_address(*address);
    if (!parts) return std::nullopt;
    memory.base = parts->base;
    memory.uniform = parts->uniform;
    memory.offset = parts->offset;
    memory.has_offset = parts->has_offset;
    return memory;
}

std::string hex(std::int64_t value) {
    return value < 0 ? fmt::format("-0x{:x}", -value) : fmt::format("0x{:x}", value);
}

std::string print_register(const RegisterOperand& reg) {
    std::string name;
    switch (reg.file) {
    case RegisterFile::General:
        name = reg.index ? fmt::format("R{}", *reg.index) : "RZ";
        break;
    case RegisterFile::Uniform:
        name = reg.index ? fmt::format("UR{}", *reg.index) : "URZ";
        break;
    case RegisterFile::Predicate:
        name = reg.index ? fmt::format("P{}", *reg.index) : "PT";
        break;
    case RegisterFile::UniformPredicate:
        name = reg.index ? fmt::format("UP{}", *reg.index) : "UPT";
        break;
    case RegisterFile::Barrier:
        name = fmt::format("B{}", reg.index.value_or(0));
        break;
    case RegisterFile::Carry:
        name = "CC";
        break;
    case RegisterFile::Vector:
        name = fmt::format("v{}", reg.index.value_or(0));
        break;
    case RegisterFile::Scalar:
        name = fmt::format("s{}", reg.index.value_or(0));
        break;
    case RegisterFile::Accumulation:
        name = fmt::format("a{}", reg.index.value_or(0));
        break;
    case RegisterFile::State:
        name = amd::state_register_name(reg.index.value_or(0));
        break;
    }
    for (const auto& suffix : reg.suffixes)
        name += "." + suffix;
    if (reg.absolute) name = fmt::format("|{}|", name);
    const bool predicate =
        reg.file == RegisterFile::Predicate || reg.file == RegisterFile::UniformPredicate;
    return std::string{reg.negated ? (predicate ? "!" : "-") : ""} + (reg.inverted ? "~" : "") +
           name;
}

struct Printer {
    std::string operator()(const RegisterOperand& reg) const { return print_register(reg); }
    std::string operator()(const ImmediateOperand& immediate) const { return immediate.text; }
    std::string operator()(const ConstantOperand& constant) const {
        std::string address;
        const auto add = [&](const std::string& part) {
            address += (address.empty() ? "" : "+") + part;
        };
        if (constant.index_register)
            add(*constant.index_register < 0 ? "RZ" : fmt::format("R{}", *constant.index_register));
        if (constant.uniform_register)
            add(*constant.uniform_register < 0 ? "URZ"
                                               : fmt::format("UR{}", *constant.uniform_register));
        if (constant.offset != 0 || address.empty()) add(hex(constant.offset));
        std::string text = constant.bank_register
                               ? fmt::format("cx[UR{}][{}]", *constant.bank_register, address)
                               : fmt::format("c[{}][{}]", hex(constant.bank), address);
        for (const auto& suffix : constant.suffixes)
            text += "." + suffix;
        if (constant.absolute) text = fmt::format("|{}|", text);
        return std::string{constant.negated ? "-" : ""} + (constant.inverted ? "~" : "") + text;
    }
    std::string operator()(const MemoryOperand& memory) const {
        std::string address;
        const auto add = [&](const std::string& part) {
            address += (address.empty() ? "" : "+") + part;
        };
        if (memory.base) add(print_register(*memory.base));
        if (memory.uniform) add(print_register(*memory.uniform));
        if (memory.has_offset) add(hex(memory.offset));
        return memory.descriptor
                   ? fmt::format("desc[{}][{}]", print_register(*memory.descriptor), address)
                   : fmt::format("[{}]", address);
    }
    std::string operator()(const SpecialRegisterOperand& special) const { return special.name; }
    std::string operator()(const TargetOperand& target) const {
        return target.label.empty() ? hex(target.address.value_or(0)) : target.label;
    }
    std::string operator()(const ScoreboardOperand& scoreboard) const {
        return fmt::format("SB{}", scoreboard.index);
    }
    std::string operator()(const TextOperand& text) const { return text.text; }
};

} // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\r'))
        text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r'))
        text.remove_suffix(1);
    return text;
}

std::string to_string(Register reg) {
    RegisterOperand operand;
    operand.file = reg.file;
    operand.index = reg.index;
    return print_register(operand);
}

Operand read_operand(std::string_view text, bool labels) {
    const Operand unknown = TextOperand{std::string{text}};
    if (text.empty()) return unknown;
    if (text.substr(0, 2) == "`(" && text.size() > 3 && text.back() == ')') {
        const std::string_view label = text.substr(2, text.size() - 3);
        if (!std::all_of(label.begin(), label.end(), is_name)) return unknown;
        return TargetOperand{std::string{label}, std::nullopt};
    }
    Decorations decorations;
    const std::string_view plain = strip(text, decorations);
    if (plain.empty()) return unknown;
    if (plain.front() == 'c' && plain.find('[') != std::string_view::npos && plain.find('[') <= 2 &&
        !decorations.complemented)
        return read_constant(plain, decorations).value_or(unknown);
    if (plain.size() == text.size() && (text.front() == '[' || text.substr(0, 5) == "desc["))
        return read_memory(text).value_or(unknown);
    auto reg = read_register(plain);
    if (const std::size_t bar = plain.find("|.");
        !reg && bar != std::string_view::npos && plain.front() == '|') { // |R3|.reuse
        std::string joined{plain.substr(1, bar - 1)};
        reg = read_register(joined += plain.substr(bar + 1));
        decorations.absolute = true;
    }
    if (reg) {
        const bool predicate =
            reg->file == RegisterFile::Predicate || reg->file == RegisterFile::UniformPredicate;
        if (predicate ? decorations.negated : decorations.complemented) return unknown;
        reg->negated = decorations.negated || decorations.complemented;
        reg->absolute = decorations.absolute;
        reg->inverted = decorations.inverted;
        return *reg;
    }
    if (plain.size() == text.size()) {
        if (text.substr(0, 3) == "SR_" || text == "SRZ")
            return SpecialRegisterOperand{std::string{text}};
        if (text.size() == 3 && text.substr(0, 2) == "SB" && text[2] >= '0' && text[2] <= '5')
            return ScoreboardOperand{text[2] - '0'};
    }
    if (is_digit(plain.front()) || text.front() == '+' || plain.substr(0, 3) == "INF" ||
        plain.substr(0, 4) == "QNAN")
        return ImmediateOperand{std::string{text}, read_integer(text)};
    if (labels && plain.size() == text.size()) {
        for (const char c : text)
            if (!is_name(c)) return unknown;
        return TargetOperand{std::string{text}, std::nullopt};
    }
    return unknown;
}

std::string print_operand(const Operand& operand) {
    return std::visit(Printer{}, operand);
}

} // namespace warpbound::assembly
