#pragma once
/// \file
/// Collects a function's instructions, encodings and labels, resolves labels and checks consistency
/// across the function.

#include "assembly/isa/instruction_reader.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::assembly {

inline constexpr std::size_t instruction_limit = 4'000'000; ///< Of a program.
inline constexpr std::size_t function_limit = 4096;         ///< Of a program.

/// One function while it is read. Every failure has the source's name and a line.
class FunctionBuilder {
public:
    /// `addresses_given`: the text has addresses (a disassembler's); otherwise they are assigned.
    FunctionBuilder(std::string name, Target target, std::string source, bool addresses_given);
    FunctionBuilder(const FunctionBuilder&) = delete;
    FunctionBuilder& operator=(const FunctionBuilder&) = delete;

    [[nodiscard]] const std::string& name() const { return function_.name; }
    void set_register_count(int count) { function_.register_count = count; }
    void set_shared_memory(std::int64_t bytes) { function_.shared_memory = bytes; }

    /// A label at the next instruction.
    Result<void> label(std::string_view name, std::int64_t line);
    /// A line marker before the next instruction.
    Result<void> source_marker(std::string_view text, std::int64_t line);
    /// Targets of the next instruction, an indirect branch.
    void branch_targets(std::vector<std::string> labels);
    Result<void> add(AnnotatedInstruction annotated);
    /// The listing states that this label comes after the last instruction.
    void expect_end_label(std::string_view name) { end_label_ = name; }
    /// An encoding word: that of the last instruction if it still lacks one, else a control word.
    Result<void> word(std::uint64_t bits, std::int64_t line);
    /// Resolves labels and control fields. `line` is where the function ends.
    Result<Function> finish(std::int64_t line);

private:
    [[nodiscard]] Failure refuse(std::string what, std::int64_t line,
                                 std::int64_t column = 0) const;
    [[nodiscard]] bool waits_for_low() const;
    [[nodiscard]] bool waits_for_high() const;
    Result<void> check_complete(std::int64_t line) const;
    Result<void> check_end_label(std::int64_t line) const;
    Result<void> place_labels(std::int64_t address);
    Result<void> resolve_targets();
    Result<void> resolve(Instruction& instruction, TargetOperand& target) const;
    Result<void> decode_controls();
    Result<void> check_control_words() const;
    Result<void> check_annotations() const;
    Result<void> wait_for_lists();
    Result<void> check_guard(const Instruction& instruction) const;
    [[nodiscard]] std::optional<std::int64_t> code_address(std::int64_t address) const;

    Function function_;
    SourceLineCollector source_lines_{function_.source_lines};
    std::string source_;
    bool addresses_given_;
    bool word_pending_ = false; ///< The last instruction still lacks its first word.
    bool encoded_ = false;      ///< Some instruction has an encoding.
    std::map<std::string, std::int64_t, std::less<>> labels_;
    std::vector<std::pair<std::string, std::int64_t>> pending_labels_;
    std::vector<std::string> pending_targets_;
    std::string end_label_;
    std::vector<std::int64_t> control_word_lines_;
    std::vector<std::pair<std::size_t, Annotation>> annotations_;
    std::vector<std::pair<std::size_t, std::vector<std::string>>> indirect_;
};

} // namespace warpbound::assembly
