#pragma once
/// \file
/// Operands of instructions decoded for execution.

#include "harness/execution/operation.hpp"

#include <string>

namespace warpbound::harness::execution {

/// Adds the operands to the operation. `writes`: the first register is the destination. Returns why
/// an operand cannot be executed; empty: all can.
std::string decode_operands(const assembly::Instruction& instruction, NumberType type, bool writes,
                            Operation& into);

} // namespace warpbound::harness::execution
