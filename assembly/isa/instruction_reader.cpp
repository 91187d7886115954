#include "assembly/isa/instruction_reader.hpp"

#include "assembly/isa/operand_reader.hpp"
#include "assembly/isa/register_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace warpbound::assembly {

namespace {

bool is_opcode_character(char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// Printable ASCII and tabs, without those of annotations and notes.
bool is_statement_character(char c) {
    return (c >= ' ' && c <= '~' && c != '&' && c != '?' && c != '"') || c == '\t';
}

bool is_control_name(ControlFlow control_flow) {
    return control_flow != ControlFlow::None && control_flow != ControlFlow::Exit;
}

/// Where the first operand ends: a comma outside brackets, braces and parentheses, or the end.
std::size_t operand_end(std::string_view text) {
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '[' || c == '{' || c == '(')
            ++depth;
        else if (c == ']' || c == '}' || c == ')')
            --depth;
        else if (c == ',' && depth <= 0)
            return i;
    }
    return text.size();
}

/// Whether a special register is a cycle counter: SR_CLOCKLO, SR_CLOCKHI, SR_ClockLo.
bool names_clock(std::string_view name) {
    constexpr std::string_view clock = "SR_CLOCK";
    return name.size() >= clock.size() &&
           std::equal(clock.begin(), clock.end(), name.begin(), [](char wanted, char found) {
               return wanted == std::toupper(static_cast<unsigned char>(found));
           });
}

void classify(Instruction& instruction, const std::optional<OpcodeInfo>& info, Target target) {
    if (info) {
        instruction.opcode_class = info->opcode_class;
        instruction.control_flow = info->control_flow;
    }
    if (instruction.opcode_class == OpcodeClass::SpecialRegister)
        for (const auto& operand : instruction.operands)
            if (const auto* special = std::get_if<SpecialRegisterOperand>(&operand);
                special != nullptr && names_clock(special->name))
                instruction.opcode_class = OpcodeClass::ClockRead;
    // `.S` pops the reconvergence stack after the instruction; a transfer that pops has no known
    // order.
    if (target.sm < 50 && instruction.has_modifier("S"))
        instruction.control_flow = instruction.control_flow == ControlFlow::None
                                       ? ControlFlow::PopReconvergence
                                       : ControlFlow::Unknown;
}

/// The code target is the last operand that is a label or an integer. Without one, or with an
/// absolute number, which need not be in this function, the effect is not known.
void mark_target(Instruction& instruction) {
    const bool absolute = instruction.mnemonic == "JMP" || instruction.mnemonic == "JCAL" ||
                          instruction.has_modifier("ABS");
    for (auto operand = instruction.operands.rbegin(); operand != instruction.operands.rend();
         ++operand) {
        if (std::holds_alternative<TargetOperand>(*operand)) return;
        if (const auto* immediate = std::get_if<ImmediateOperand>(&*operand);
            immediate != nullptr && immediate->integer) {
            if (absolute) break;
            *operand = TargetOperand{{}, *immediate->integer};
            return;
        }
    }
    // printf, assert and malloc are called through a word of the loader's.
    const bool is_through_register =
        instruction.mnemonic == "CALL" && instruction.has_modifier("ABS") &&
        instruction.operands.size() == 1 &&
        std::holds_alternative<RegisterOperand>(instruction.operands.front());
    instruction.control_flow =
        is_through_register ? ControlFlow::ExternalCall : ControlFlow::Unknown;
}

} // namespace

std::vector<std::string> noted_targets(std::string_view statement) {
    constexpr std::string_view note = "(*\"BRANCH_TARGETS";
    std::vector<std::string> labels;
    const std::size_t at = statement.find(note);
    if (at == std::string_view::npos) return labels;
    std::string_view list = trimmed(statement.substr(at + note.size()));
    list = list.substr(0, list.find('"'));
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        labels.emplace_back(trimmed(list.substr(0, comma)));
        list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
    }
    return labels;
}

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

namespace {

/// Parses one statement to an instruction. The failure's `where` is left to the caller.
class StatementReader {
public:
    StatementReader(std::string_view text, Target target, std::int64_t line, std::int64_t column)
        : whole_{text}, rest_{text}, target_{target} {
        read_.instruction.position = {line, column};
    }

    Result<AnnotatedInstruction> read() {
        if (auto done = annotation(); !done) return done.as_failure();
        // (*"BRANCH_TARGETS .."*) is a note of the disassembler after the operands.
        rest_ = trimmed(rest_.substr(0, rest_.find("(*")));
        for (std::size_t i = 0; i < rest_.size(); ++i)
            if (!is_statement_character(rest_[i]))
                return refuse("this character occurs in no instruction", rest_.substr(i));
        if (auto done = guard(); !done) return done.as_failure();
        if (auto done = opcode(); !done) return done.as_failure();
        if (auto done = operands(); !done) return done.as_failure();
        Instruction& instruction = read_.instruction;
        classify(instruction, info_, target_);
        if (has_code_target(instruction.control_flow)) mark_target(instruction);
        if (!info_)
            for (const auto& operand : instruction.operands)
                if (std::holds_alternative<TargetOperand>(operand))
                    instruction.control_flow = ControlFlow::Unknown;
        return std::move(read_);
    }

private:
    [[nodiscard]] Failure refuse(std::string what, std::string_view at) const {
        const auto& position = read_.instruction.position;
        const auto offset = at.data() >= whole_.data() ? at.data() - whole_.data() : 0;
        return Failure{std::move(what), {}, position.line, position.column + offset};
    }

    Result<void> annotation() {
        const std::size_t start = annotation_start(rest_);
        if (start == std::string_view::npos) return boost::outcome_v2::success();
        std::string_view words = rest_.substr(start);
        rest_ = rest_.substr(0, start);
        Annotation annotation;
        while (!(words = trimmed(words)).empty()) {
            const std::size_t blank = words.find_first_of(" \t");
            const std::string_view word = words.substr(0, blank);
            if (!read_annotation_word(word, annotation))
                return refuse(fmt::format("unknown control annotation '{}'; &req={{..}}, "
                                          "&wr=0x0..5, &rd=0x0..5, ?transN or ?WAITN_END_GROUP, "
                                          "each once, was expected",
                                          word),
                              word);
            words = blank == std::string_view::npos ? std::string_view{} : words.substr(blank);
        }
        read_.annotation = annotation;
        if (annotation.has_stall) read_.instruction.control = annotation.control;
        return boost::outcome_v2::success();
    }

    Result<void> guard() {
        if (rest_.empty() || rest_.front() != '@') return boost::outcome_v2::success();
        const std::size_t blank = rest_.find_first_of(" \t");
        const Operand operand = read_operand(
            rest_.substr(1, blank == std::string_view::npos ? blank : blank - 1), false);
        const auto* predicate = std::get_if<RegisterOperand>(&operand);
        if (predicate == nullptr ||
            (predicate->file != RegisterFile::Predicate &&
             predicate->file != RegisterFile::UniformPredicate) ||
            predicate->absolute || predicate->inverted || !predicate->suffixes.empty())
            return refuse(fmt::format("'{}' is no guard; @P0..@P6, @!P0, @UP0 or @PT was expected",
                                      rest_.substr(0, blank)),
                          rest_);
        if (auto missing = missing_register(operand, target_))
            return refuse(fmt::format("{} has no register '{}'", to_string(target_), *missing),
                          rest_);
        read_.instruction.guard = Guard{*predicate};
        rest_ = blank == std::string_view::npos ? rest_.substr(rest_.size())
                                                : trimmed(rest_.substr(blank));
        return boost::outcome_v2::success();
    }

    Result<void> opcode() {
        std::size_t end = 0;
        while (end < rest_.size() && (is_opcode_character(rest_[end]) || rest_[end] == '.'))
            ++end;
        std::string_view text = rest_.substr(0, end);
        if (text.empty() || text.front() < 'A' || text.front() > 'Z')
            return refuse("an opcode was expected", rest_);
        if (end < rest_.size() && rest_[end] != ' ' && rest_[end] != '\t')
            return refuse("a blank was expected after the opcode", rest_.substr(end));
        rest_ = rest_.substr(end);
        std::size_t dot = text.find('.');
        read_.instruction.mnemonic = text.substr(0, dot);
        while (dot != std::string_view::npos) {
            text.remove_prefix(dot + 1);
            dot = text.find('.');
            if (text.substr(0, dot).empty())
                return refuse("a modifier was expected after '.'", text);
            read_.instruction.modifiers.emplace_back(text.substr(0, dot));
        }
        info_ = find_opcode(read_.instruction.mnemonic);
        return boost::outcome_v2::success();
    }

    Result<void> operands() {
        const bool labels = info_ && is_control_name(info_->control_flow);
        rest_ = trimmed(rest_);
        auto& operands = read_.instruction.operands;
        bool more = !rest_.empty();
        if (more)
            operands.reserve(std::min(
                operand_limit,
                static_cast<std::size_t>(std::count(rest_.begin(), rest_.end(), ',')) + 1));
        while (more) {
            const std::size_t comma = operand_end(rest_);
            const std::string_view part = trimmed(rest_.substr(0, comma));
            if (part.empty()) return refuse("an operand was expected", part);
            if (operands.size() == operand_limit)
                return refuse(fmt::format("more than {} operands", operand_limit), part);
            operands.push_back(read_operand(part, labels));
            if (auto missing = missing_register(operands.back(), target_))
                return refuse(fmt::format("{} has no register '{}'", to_string(target_), *missing),
                              part);
            more = comma < rest_.size();
            if (more) rest_ = rest_.substr(comma + 1);
        }
        return boost::outcome_v2::success();
    }

    std::string_view whole_;
    std::string_view rest_;
    Target target_;
    std::optional<OpcodeInfo> info_;
    AnnotatedInstruction read_;
};

} // namespace

Result<AnnotatedInstruction> read_instruction(std::string_view text, Target target,
                                              std::int64_t line, std::int64_t column) {
    return StatementReader{text, target, line, column}.read();
}

} // namespace warpbound::assembly
