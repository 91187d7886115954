#pragma once
/// \file
/// Calls that do not come back. From Volta on `CALL.NOINC` is a jump: the return address is in a
/// register of the program's own, and compilers write a branch so as well as a call.

#include "assembly/isa/program.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::assembly {

/// Address that the instruction names as its target; nothing when it names none.
std::optional<std::int64_t> named_target(const Instruction& instruction);

/// Makes each `CALL.NOINC` a branch from whose target no return can be reached. By control flow
/// alone: guards may hold or not, and a convergence barrier leads to each of its targets.
void take_jumps_for_branches(Function& function);

} // namespace warpbound::assembly
