#pragma once
/// \file
/// Registers that each generation has, and operands that name one that does not exist.

#include "assembly/isa/operand.hpp"
#include "assembly/isa/target.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::assembly {

/// Number of registers of a file, constant registers not counted; 0 where the file does not exist.
int register_count(RegisterFile file, Target target);

/// Name of the first register in an operand that the target does not have.
std::optional<std::string> missing_register(const Operand& operand, Target target);

/// Registers (R, UR, P, UP) named in a text of unknown form: R8 for `R8 0x0`. Constant registers
/// are left out.
std::vector<Register> registers_in_text(std::string_view text);

} // namespace warpbound::assembly
