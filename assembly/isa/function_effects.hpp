#pragma once
/// \file
/// Computes the effects of instructions.

#include "assembly/isa/program.hpp"

namespace warpbound::assembly {

/// Readers store the result in the instruction.
Effects effects_of(const Instruction& instruction, Target target);

/// Computes the effects of every instruction and stores them in it. Readers call it; code that
/// makes or changes a function must call it, too.
void set_effects(Function& function);

} // namespace warpbound::assembly
