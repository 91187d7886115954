#pragma once
/// \file
/// The effects that instructions of a function keep.

#include "assembly/isa/program.hpp"

namespace warpbound::assembly {

/// Those of a read instruction are kept in it.
Effects effects_of(const Instruction& instruction, Target target);

/// Finds the effects of every instruction and keeps them in it. Readers do it; whoever makes or
/// changes a function by hand has to.
void set_effects(Function& function);

} // namespace warpbound::assembly
