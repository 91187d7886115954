#pragma once
/// \file
/// The rule by which addresses become passes, where only the class of an instruction is known.

#include "models/architecture/instruction_timing.hpp"

namespace warpbound::models {

/// Of an access of this class whose lanes address memory one by one.
PassRule pass_rule(assembly::OpcodeClass opcode_class);

} // namespace warpbound::models
