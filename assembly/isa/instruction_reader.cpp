#include "assembly/isa/instruction_reader.hpp"

#include "assembly/isa/operand_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace warpbound::assembly {

namespace {

bool is_upper_name(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Where the control annotation begins: a blank, then `&` or `?`, then a letter.
std::size_t annotation_start(std::string_view text) {
    for (std::size_t i = 0; i + 2 < text.size(); ++i)
        if ((text[i] == ' ' || text[i] == '\t') && (text[i + 1] == '&' || text[i + 1] == '?') &&
            is_letter(text[i + 2]))
            return i + 1;
    return std::string_view::npos;
}

std::optional<int> small_number(std::string_view text, int base) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return value;
}

/// `&req={0,4}`: bits of the mask.
bool read_wait_mask(std::string_view list, Control& control) {
    if (list.size() < 2 || list.front() != '{' || list.back() != '}') return false;
    list = list.substr(1, list.size() - 2);
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const auto number = small_number(list.substr(0, comma), 10);
        if (!number || *number < 0 || *number >= scoreboard_count) return false;
        control.wait_mask =
            static_cast<std::uint8_t>(control.wait_mask | (1U << static_cast<unsigned>(*number)));
        list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    }
    return true;
}

bool read_barrier(std::string_view text, std::optional<int>& barrier) {
    if (text.substr(0, 2) != "0x") return false;
    const auto number = small_number(text.substr(2), 16);
    if (!number || *number < 0 || *number >= scoreboard_count) return false;
    barrier = number;
    return true;
}

/// One word of an annotation; false when it has no known form.
bool read_annotation_word(std::string_view word, Control& control) {
    constexpr std::string_view wait = "?WAIT";
    constexpr std::string_view group = "_END_GROUP";
    if (word.substr(0, 5) == "&req=") return read_wait_mask(word.substr(5), control);
    if (word.substr(0, 4) == "&wr=") return read_barrier(word.substr(4), control.write_barrier);
    if (word.substr(0, 4) == "&rd=") return read_barrier(word.substr(4), control.read_barrier);
    std::optional<int> stall;
    if (word.substr(0, 6) == "?trans") {
        stall = small_number(word.substr(6), 10);
        control.yield = false;
    } else if (word.substr(0, wait.size()) == wait && word.size() > group.size() &&
               word.substr(word.size() - group.size()) == group) {
        stall =
            small_number(word.substr(wait.size(), word.size() - wait.size() - group.size()), 10);
        control.yield = true;
    }
    if (!stall || *stall < 0 || *stall > 15) return false;
    control.stall = *stall;
    return true;
}

bool is_control_name(ControlFlow control_flow) {
    return control_flow != ControlFlow::None && control_flow != ControlFlow::Exit;
}

/// Splits at commas outside brackets, braces and parentheses.
std::vector<std::string_view> split_operands(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t start = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[' || c == '{' || c == '(')
            ++depth;
        else if (c == ']' || c == '}' || c == ')')
            --depth;
        else if (c == ',' && depth <= 0) {
            parts.push_back(trimmed(text.substr(start, i - start)));
            start = i + 1;
        }
    }
    parts.push_back(trimmed(text.substr(start)));
    return parts;
}

void classify(Instruction& instruction, Target target) {
    if (const auto info = find_opcode(instruction.mnemonic)) {
        instruction.opcode_class = info->opcode_class;
        instruction.control_flow = info->control_flow;
    }
    if (instruction.opcode_class == OpcodeClass::SpecialRegister)
        for (const auto& operand : instruction.operands)
            if (const auto* special = std::get_if<SpecialRegisterOperand>(&operand)) {
                std::string name = special->name;
                std::transform(name.begin(), name.end(), name.begin(),
                               [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
                if (name.substr(0, 8) == "SR_CLOCK")
                    instruction.opcode_class = OpcodeClass::ClockRead;
            }
    if (target.sm < 50 && instruction.has_modifier("S") &&
        instruction.control_flow == ControlFlow::None)
        instruction.control_flow = ControlFlow::PopReconvergence;
}

/// The code target is the last operand that is a label or an integer.
void mark_target(Instruction& instruction) {
    for (auto operand = instruction.operands.rbegin(); operand != instruction.operands.rend();
         ++operand) {
        if (std::holds_alternative<TargetOperand>(*operand)) return;
        if (const auto* immediate = std::get_if<ImmediateOperand>(&*operand);
            immediate && immediate->integer) {
            *operand = TargetOperand{{}, *immediate->integer};
            return;
        }
    }
}

} // namespace

bool has_code_target(ControlFlow control_flow) {
    switch (control_flow) {
    case ControlFlow::Branch:
    case ControlFlow::Call:
    case ControlFlow::PushReconvergence:
    case ControlFlow::PushBreak:
    case ControlFlow::PushContinue:
    case ControlFlow::PushReturn:
    case ControlFlow::ConvergenceSet:
        return true;
    default:
        return false;
    }
}

Result<Instruction> read_instruction(std::string_view text, Target target, std::int64_t line,
                                     std::int64_t column) {
    const std::string_view whole = text;
    const auto refuse = [&](std::string what, std::string_view at) {
        const auto offset = at.data() >= whole.data() ? at.data() - whole.data() : 0;
        return Failure{std::move(what), {}, line, column + offset};
    };
    Instruction instruction;
    instruction.position = {line, column};
    const std::size_t annotation = annotation_start(text);
    if (annotation != std::string_view::npos) {
        std::string_view words = text.substr(annotation);
        text = text.substr(0, annotation);
        Control control;
        while (!(words = trimmed(words)).empty()) {
            const std::size_t blank = words.find_first_of(" \t");
            const std::string_view word = words.substr(0, blank);
            if (!read_annotation_word(word, control))
                return refuse(fmt::format("unknown control annotation '{}'; &req={{..}}, "
                                          "&wr=0x0..5, &rd=0x0..5, ?transN "
                                          "or ?WAITN_END_GROUP was expected",
                                          word),
                              word);
            words = blank == std::string_view::npos ? std::string_view{} : words.substr(blank);
        }
        instruction.control = control;
    }
    text = trimmed(text);
    if (!text.empty() && text.front() == '@') {
        const std::size_t blank = text.find_first_of(" \t");
        const Operand operand = read_operand(
            text.substr(1, blank == std::string_view::npos ? blank : blank - 1), false);
        const auto* predicate = std::get_if<RegisterOperand>(&operand);
        if (predicate == nullptr || (predicate->file != RegisterFile::Predicate &&
                                     predicate->file != RegisterFile::UniformPredicate))
            return refuse(fmt::format("'{}' is no guard; @P0..@P6, @!P0, @UP0 or @PT was expected",
                                      text.substr(0, blank)),
                          text);
        instruction.guard = Guard{*predicate};
        text = blank == std::string_view::npos ? std::string_view{} : trimmed(text.substr(blank));
    }
    std::size_t end = 0;
    while (end < text.size() &&
           (is_upper_name(text[end]) || text[end] == '.' || (end > 0 && is_letter(text[end]))))
        ++end;
    std::string_view opcode = text.substr(0, end);
    if (opcode.empty() || !(opcode.front() >= 'A' && opcode.front() <= 'Z'))
        return refuse("an opcode was expected", text.empty() ? whole : text);
    const std::size_t dot = opcode.find('.');
    instruction.mnemonic = opcode.substr(0, dot);
    while (opcode.find('.') != std::string_view::npos) {
        opcode.remove_prefix(opcode.find('.') + 1);
        instruction.modifiers.emplace_back(opcode.substr(0, opcode.find('.')));
    }
    const auto info = find_opcode(instruction.mnemonic);
    const bool labels =
        info && (is_control_name(info->control_flow) || has_code_target(info->control_flow));
    std::string_view rest = trimmed(text.substr(end));
    if (const std::size_t note = rest.find("(*"); note != std::string_view::npos)
        rest = trimmed(rest.substr(0, note));
    if (!rest.empty()) {
        const auto parts = split_operands(rest);
        if (parts.size() > operand_limit)
            return refuse(fmt::format("more than {} operands", operand_limit), rest);
        for (const auto part : parts) {
            if (part.empty())
                return refuse("an operand was expected", part.data() == nullptr ? rest : part);
            instruction.operands.push_back(read_operand(part, labels));
            if (std::holds_alternative<TextOperand>(instruction.operands.back()) &&
                part.size() > 1 && (part.front() == 'R' || part.front() == 'P') && part[1] >= '0' &&
                part[1] <= '9' && part.find(' ') == std::string_view::npos)
                return refuse(fmt::format("there is no register '{}'", part), part);
        }
    }
    classify(instruction, target);
    if (has_code_target(instruction.control_flow)) mark_target(instruction);
    if (!info)
        for (const auto& operand : instruction.operands)
            if (std::holds_alternative<TargetOperand>(operand))
                instruction.control_flow = ControlFlow::Unknown;
    return instruction;
}

std::string print_annotation(const Control& control) {
    std::string text;
    if (control.wait_mask != 0) {
        std::string list;
        for (int i = 0; i < scoreboard_count; ++i)
            if (((control.wait_mask >> static_cast<unsigned>(i)) & 1U) != 0)
                list += (list.empty() ? "" : ",") + std::to_string(i);
        text += fmt::format("&req={{{}}} ", list);
    }
    if (control.write_barrier) text += fmt::format("&wr=0x{} ", *control.write_barrier);
    if (control.read_barrier) text += fmt::format("&rd=0x{} ", *control.read_barrier);
    return text + (control.yield ? fmt::format("?WAIT{}_END_GROUP", control.stall)
                                 : fmt::format("?trans{}", control.stall));
}

} // namespace warpbound::assembly
