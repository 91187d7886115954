#pragma once
/// \file
/// The general registers that the operands of an instruction read, by operand position.

#include "assembly/isa/program.hpp"

#include <vector>

namespace warpbound::assembly {

/// Registers that one operand reads.
struct OperandRead {
    /// Among the source operands that are no predicates, from 0 on. None: a register that the
    /// instruction reads without naming it in such an operand.
    std::optional<int> position;
    int first = 0;          ///< The first register of the group.
    int registers = 1;      ///< Their number; where it is not known, the most there may be.
    bool has_width = true;  ///< Whether their number is known; at least the first one is read.
    bool is_reused = false; ///< `.reuse`
};

/// Largest register group of an operand whose width is not known.
inline constexpr int widest_operand = 4;

/// In the order of the operands. RZ, uniform registers and predicates do not appear.
std::vector<OperandRead> operand_reads(const Instruction& instruction, Target target);

/// Whether the latency of an instruction is fixed, so that no scoreboard announces its result: it
/// accesses no memory, and its control field names no scoreboard.
bool has_fixed_latency(const Instruction& instruction);

/// Whether something may wait for its result: it writes registers, or its control field announces a
/// result on a scoreboard.
bool has_result(const Instruction& instruction);

} // namespace warpbound::assembly
