#pragma once
/// \file
/// Reads one instruction from its text, without address and encoding.

#include "assembly/isa/program.hpp"

#include <string_view>

namespace warpbound::assembly {

inline constexpr std::size_t operand_limit = 16;
inline constexpr std::size_t line_length_limit = 4096;

/// `text` runs up to the `;`, without it. `column` is the 1-based column of its first character.
/// A control annotation (`&wr=0x0 ?trans1`) becomes the instruction's control field.
/// The failure has line and column; its `where` is left to the caller.
Result<Instruction> read_instruction(std::string_view text, Target target, std::int64_t line,
                                     std::int64_t column);

/// Control annotation as text: "&req={0} &wr=0x1 ?trans4"; the inverse of what `read_instruction`
/// takes.
std::string print_annotation(const Control& control);

/// Puts an absolute address or label where the opcode has its code target. Called by
/// `read_instruction`.
bool has_code_target(ControlFlow control_flow);

} // namespace warpbound::assembly
