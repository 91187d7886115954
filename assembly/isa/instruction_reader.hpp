#pragma once
/// \file
/// Reads one instruction from its text, without address and encoding.

#include "assembly/isa/annotation.hpp"
#include "assembly/isa/program.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly {

inline constexpr std::size_t operand_limit = 16;
inline constexpr std::size_t line_length_limit = 4096;

/// An instruction and its control annotation. A complete annotation is already stored as the
/// instruction's control field.
struct AnnotatedInstruction {
    Instruction instruction;
    std::optional<Annotation> annotation;
};

/// `text` runs up to the `;`, without it. `column` is the 1-based column of its first character.
/// Refuses registers that the target does not have. The failure has line and column; its `where` is
/// left to the caller.
Result<AnnotatedInstruction> read_instruction(std::string_view text, Target target,
                                              std::int64_t line, std::int64_t column);

/// Labels that a note (*"BRANCH_TARGETS A,B"*) of an indirect branch names, as nvdisasm writes it
/// after the operands.
std::vector<std::string> noted_targets(std::string_view statement);

/// Whether such an instruction names the address that it transfers to or pushes.
bool has_code_target(ControlFlow control_flow);

} // namespace warpbound::assembly
