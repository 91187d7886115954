#pragma once
/// \file
/// Reads one operand from its text.

#include "assembly/isa/operand.hpp"

#include <string_view>

namespace warpbound::assembly {

/// Never refuses: text of unknown form becomes a `TextOperand`. A bare name is a label when
/// `labels` is set.
Operand read_operand(std::string_view text, bool labels);
/// The text of an operand, as a disassembler writes it.
std::string print_operand(const Operand& operand);

/// Without blanks, tabs and carriage returns at either end.
std::string_view trimmed(std::string_view text);

} // namespace warpbound::assembly
