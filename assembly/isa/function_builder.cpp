#include "assembly/isa/function_builder.hpp"

#include "assembly/isa/annotation.hpp"
#include "assembly/isa/collectives.hpp"
#include "assembly/isa/function_effects.hpp"
#include "assembly/isa/returning_calls.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

namespace warpbound::assembly {

namespace {

/// Position of the guard in the encoding: lowest bit of the predicate number; the negation is the
/// fourth bit.
unsigned guard_shift(Target target) {
    if (target.sm < 35) return 10;
    if (target.sm < 50) return 18;
    if (target.sm < 70) return 16;
    return 12;
}

/// Up to Pascal a push of the divergence stack and a direct call cannot be guarded; the bits are
/// zero there, which would be @P0.
bool has_guard_bits(const Instruction& instruction, Target target) {
    if (target.sm >= 70) return true;
    const std::string& name = instruction.mnemonic;
    for (const std::string_view bare :
         {"SSY", "PBK", "PCNT", "PRET", "PLONGJMP", "PEXIT", "CAL", "JCAL", "BPT", "IDE"})
        if (name == bare) return false;
    return true;
}

/// Bytes from one control word to the next; 0 where there are none.
std::int64_t control_group(Target target) {
    if (target.sm >= 30 && target.sm < 50) return 64;
    if (target.sm >= 50 && target.sm < 70) return 32;
    return 0;
}

} // namespace

FunctionBuilder::FunctionBuilder(std::string name, Target target, std::string source,
                                 bool addresses_given)
    : source_{std::move(source)}, addresses_given_{addresses_given} {
    function_.name = std::move(name);
    function_.target = target;
    function_.step = target.sm >= 70 ? 16 : 8;
}

Failure FunctionBuilder::refuse(std::string what, std::int64_t line, std::int64_t column) const {
    return Failure{std::move(what), source_, line, column};
}

bool FunctionBuilder::waits_for_low() const {
    return !function_.instructions.empty() && word_pending_ &&
           !function_.instructions.back().encoding;
}

bool FunctionBuilder::waits_for_high() const {
    if (function_.target.sm < 70 || function_.instructions.empty()) return false;
    const auto& encoding = function_.instructions.back().encoding;
    return encoding && !encoding->high;
}

Result<void> FunctionBuilder::label(std::string_view name, std::int64_t line) {
    if (name.empty()) return refuse("the name of a label was expected", line);
    pending_labels_.emplace_back(std::string{name}, line);
    return boost::outcome_v2::success();
}

Result<void> FunctionBuilder::source_marker(std::string_view text, std::int64_t line) {
    auto marker = read_source_marker(text);
    if (!marker) return refuse(marker.error().what, line);
    if (auto taken = source_lines_.marker(std::move(marker).value()); !taken)
        return refuse(taken.error().what, line);
    return boost::outcome_v2::success();
}

void FunctionBuilder::branch_targets(std::vector<std::string> labels) {
    pending_targets_ = std::move(labels);
}

Result<void> FunctionBuilder::check_complete(std::int64_t line) const {
    if (function_.instructions.empty()) return boost::outcome_v2::success();
    const Instruction& last = function_.instructions.back();
    if (waits_for_high())
        return refuse(
            fmt::format(
                "the second half of the encoding of the instruction at 0x{:04x} was expected "
                "(truncated listing?)",
                last.address),
            line);
    if (encoded_ && !last.encoding)
        return refuse(
            fmt::format("the encoding of the instruction at 0x{:04x} was expected, others have one",
                        last.address),
            line);
    return boost::outcome_v2::success();
}

Result<void> FunctionBuilder::check_end_label(std::int64_t line) const {
    if (end_label_.empty()) return boost::outcome_v2::success();
    for (const auto& pending : pending_labels_)
        if (pending.first == end_label_) return boost::outcome_v2::success();
    return refuse(fmt::format("the label '{}' was expected after the last instruction of kernel "
                              "'{}' (truncated listing?)",
                              end_label_, function_.name),
                  line);
}

Result<void> FunctionBuilder::place_labels(std::int64_t address) {
    for (auto& [name, line] : pending_labels_)
        if (!labels_.emplace(name, address).second)
            return refuse(fmt::format("label '{}' is defined twice", name), line);
    pending_labels_.clear();
    return boost::outcome_v2::success();
}

Result<void> FunctionBuilder::add(AnnotatedInstruction annotated) {
    Instruction& instruction = annotated.instruction;
    auto& instructions = function_.instructions;
    if (auto complete = check_complete(instruction.position.line); !complete) return complete;
    if (instructions.size() >= instruction_limit)
        return refuse(fmt::format("more than {} instructions", instruction_limit),
                      instruction.position.line);
    if (!addresses_given_) {
        instruction.address = static_cast<std::int64_t>(instructions.size()) * function_.step;
    } else if (instruction.address % function_.step != 0) {
        return refuse(fmt::format("address 0x{:04x} is no multiple of {}", instruction.address,
                                  function_.step),
                      instruction.position.line);
    } else {
        // The distance between instructions is one step, or two around a control word.
        const std::int64_t group = control_group(function_.target);
        std::int64_t expected =
            instructions.empty() ? 0 : instructions.back().address + function_.step;
        if (group != 0 && expected % group == 0) expected += function_.step;
        if (instruction.address != expected)
            return refuse(fmt::format("address 0x{:04x} was expected, found 0x{:04x}", expected,
                                      instruction.address),
                          instruction.position.line);
    }
    if (auto placed = place_labels(instruction.address); !placed) return placed;
    if (!pending_targets_.empty())
        indirect_.emplace_back(instructions.size(), std::move(pending_targets_));
    pending_targets_.clear();
    if (annotated.annotation) annotations_.emplace_back(instructions.size(), *annotated.annotation);
    instruction.source_frame = source_lines_.frame();
    instructions.push_back(std::move(instruction));
    word_pending_ = true;
    return boost::outcome_v2::success();
}

Result<void> FunctionBuilder::word(std::uint64_t bits, std::int64_t line) {
    if (waits_for_low() && (encoded_ || function_.instructions.size() == 1)) {
        function_.instructions.back().encoding = Encoding{bits, std::nullopt};
        word_pending_ = false;
        encoded_ = true;
        return boost::outcome_v2::success();
    }
    if (waits_for_high()) {
        function_.instructions.back().encoding->high = bits;
        return boost::outcome_v2::success();
    }
    const std::int64_t group = control_group(function_.target);
    const std::int64_t address =
        function_.instructions.empty() ? 0 : function_.instructions.back().address + function_.step;
    const bool given =
        !function_.control_words.empty() && function_.control_words.back().address == address;
    if (group == 0 || address % group != 0 || given)
        return refuse("an encoding was found where no instruction lacks one", line);
    function_.control_words.push_back({address, bits});
    control_word_lines_.push_back(line);
    encoded_ = true;
    return boost::outcome_v2::success();
}

std::optional<std::int64_t> FunctionBuilder::code_address(std::int64_t address) const {
    if (function_.index_of(address)) return address;
    // A target may name the control word in front of the instruction that is meant.
    const std::int64_t group = control_group(function_.target);
    if (group != 0 && address % group == 0 && function_.index_of(address + function_.step))
        return address + function_.step;
    return std::nullopt;
}

/// Resolves a target's address, or refuses it. A target that transfers no control may stay
/// unresolved.
Result<void> FunctionBuilder::resolve(Instruction& instruction, TargetOperand& target) const {
    const bool needed = has_code_target(instruction.control_flow);
    const auto& [line, column] = instruction.position;
    if (!target.label.empty()) {
        const auto found = labels_.find(target.label);
        if (found != labels_.end())
            target.address = found->second;
        else if (needed) // a return may name another function; the graph does not use that operand
            return refuse(fmt::format("label '{}' is not in this function", target.label), line,
                          column);
        return boost::outcome_v2::success();
    }
    if (!needed) return boost::outcome_v2::success();
    const std::int64_t written = target.address.value_or(-1);
    target.address = code_address(written);
    if (!target.address)
        return refuse(fmt::format("target 0x{:x} is no instruction of this function", written),
                      line, column);
    return boost::outcome_v2::success();
}

Result<void> FunctionBuilder::resolve_targets() {
    for (auto& instruction : function_.instructions) {
        check_stop("the reading of the listing");
        for (auto& operand : instruction.operands) {
            if (auto* target = std::get_if<TargetOperand>(&operand)) {
                if (auto resolved = resolve(instruction, *target); !resolved) return resolved;
            } else if (instruction.opcode_class == OpcodeClass::Unknown) {
                // The name is a label of this function: the unknown opcode may transfer to it.
                const auto* text = std::get_if<TextOperand>(&operand);
                const auto found = text == nullptr ? labels_.end() : labels_.find(text->text);
                if (found == labels_.end()) continue;
                operand = TargetOperand{found->first, found->second};
                instruction.control_flow = ControlFlow::Unknown;
            }
        }
    }
    for (const auto& [index, labels] : indirect_)
        for (const auto& label : labels) {
            const auto found = labels_.find(label);
            if (found == labels_.end())
                return refuse(fmt::format("branch target '{}' is not in this function", label),
                              function_.instructions[index].position.line);
            function_.instructions[index].indirect_targets.push_back(found->second);
        }
    return boost::outcome_v2::success();
}

Result<void> FunctionBuilder::check_guard(const Instruction& instruction) const {
    const std::uint64_t bits = instruction.encoding->low >> guard_shift(function_.target);
    const auto number = static_cast<int>(bits & 7U);
    const bool negated = ((bits >> 3U) & 1U) != 0;
    if (!instruction.guard && number == 0 && !negated &&
        !has_guard_bits(instruction, function_.target))
        return boost::outcome_v2::success();
    const bool uniform =
        instruction.guard && instruction.guard->predicate.file == RegisterFile::UniformPredicate;
    if (uniform) return boost::outcome_v2::success();
    const int written = instruction.guard ? instruction.guard->predicate.index.value_or(7) : 7;
    const bool written_negated = instruction.guard && instruction.guard->predicate.negated;
    if (written == number && written_negated == negated) return boost::outcome_v2::success();
    return refuse(fmt::format("the guard in the text is not that of the encoding (@{}P{})",
                              negated ? "!" : "", number),
                  instruction.position.line, instruction.position.column);
}

Result<void> FunctionBuilder::decode_controls() {
    const int sm = function_.target.sm;
    if (!encoded_) return boost::outcome_v2::success();
    if (auto words = check_control_words(); !words) return words;
    const std::int64_t group = control_group(function_.target);
    std::size_t next_word = 0;
    for (auto& instruction : function_.instructions) {
        if (auto guard = check_guard(instruction); !guard) return guard;
        std::optional<Control> decoded;
        if (sm >= 70) {
            decoded = decode_control_volta(*instruction.encoding->high);
        } else if (group != 0) {
            const std::int64_t base = instruction.address - instruction.address % group;
            while (next_word < function_.control_words.size() &&
                   function_.control_words[next_word].address < base)
                ++next_word;
            if (next_word == function_.control_words.size() ||
                function_.control_words[next_word].address != base)
                return refuse(fmt::format("the control word at 0x{:04x} was expected", base),
                              instruction.position.line);
            const auto slot = static_cast<int>((instruction.address - base) / function_.step) - 1;
            const std::uint64_t bits = function_.control_words[next_word].bits;
            decoded = sm >= 50 ? std::optional{decode_control_maxwell(bits, slot)}
                               : decode_control_kepler(bits, slot);
        } else {
            continue;
        }
        instruction.control = decoded;
    }
    return check_annotations();
}

Result<void> FunctionBuilder::check_control_words() const {
    const int sm = function_.target.sm;
    for (std::size_t i = 0; i < function_.control_words.size(); ++i) {
        const ControlWord& word = function_.control_words[i];
        if (sm < 50 ? !is_control_word_kepler(word.bits) : (word.bits >> 63U) != 0)
            return refuse(fmt::format("0x{:016x} at 0x{:04x} is no control word of {}", word.bits,
                                      word.address, to_string(function_.target)),
                          control_word_lines_[i]);
    }
    return boost::outcome_v2::success();
}

Result<void> FunctionBuilder::check_annotations() const {
    for (const auto& [index, annotation] : annotations_) {
        const Instruction& instruction = function_.instructions[index];
        if (instruction.control && !agrees(annotation, *instruction.control))
            return refuse("the control annotation is not that of the encoding",
                          instruction.position.line, instruction.position.column);
    }
    return boost::outcome_v2::success();
}

/// `DEPBAR.LE SB0, 0x1, {3,2}` waits for the scoreboards of its list as for those of its mask.
Result<void> FunctionBuilder::wait_for_lists() {
    for (Instruction& instruction : function_.instructions) {
        if (instruction.mnemonic != "DEPBAR" || !instruction.control) continue;
        for (const Operand& operand : instruction.operands) {
            const auto* text = std::get_if<TextOperand>(&operand);
            if (text == nullptr) continue;
            const auto mask = scoreboards_of_list(text->text);
            if (!mask)
                return refuse(
                    fmt::format("'{}' is no list of scoreboards; expected numbers from 0 to "
                                "5, as in {{3,2}}",
                                text->text),
                    instruction.position.line, instruction.position.column);
            std::uint8_t& waits = instruction.control->wait_mask;
            waits = static_cast<std::uint8_t>(waits | *mask);
        }
    }
    return boost::outcome_v2::success();
}

Result<Function> FunctionBuilder::finish(std::int64_t line) {
    if (function_.instructions.empty())
        return refuse(fmt::format("kernel '{}' has no instruction", function_.name), line);
    if (auto complete = check_complete(line); !complete) return complete.as_failure();
    if (auto ended = check_end_label(line); !ended) return ended.as_failure();
    // Labels after the last instruction name the function's end; no branch may target them.
    if (auto resolved = resolve_targets(); !resolved) return resolved.as_failure();
    if (auto decoded = decode_controls(); !decoded) return decoded.as_failure();
    if (auto listed = wait_for_lists(); !listed) return listed.as_failure();
    straighten_collectives(function_);
    take_jumps_for_branches(function_);
    set_effects(function_);
    return std::move(function_);
}

} // namespace warpbound::assembly
