#pragma once
/// \file
/// Transfer functions of the symbolic value analysis: the effect of one instruction on known
/// numbers and predicates (S16, S19a).

#include "analyzer/value/symbolic_registers.hpp"

namespace warpbound::analyzer {

/// The number that the instruction writes to its first destination; nothing where it is not
/// modelled.
std::optional<AffineExpression> number_computed(const SymbolicRegisters& values,
                                                const assembly::Instruction& instruction);
/// The predicate that the instruction writes first; nothing where it is not modelled.
std::optional<Predicate> predicate_computed(const SymbolicRegisters& values,
                                            const assembly::Instruction& instruction);

/// Applies the instruction to the registers. Where its result is not modelled, the registers that
/// it writes become unknown (with a program point: they get the symbols of their definitions).
/// After an instruction that may be predicated off, a register is known only if both outcomes
/// agree.
void execute(SymbolicRegisters& registers, const assembly::Instruction& instruction,
             const std::optional<ProgramPoint>& point = std::nullopt);

/// The predicate "both hold"; nothing when it is neither a short conjunction of comparisons nor the
/// negation of one.
std::optional<Predicate> conjunction(const Predicate& a, const Predicate& b);

} // namespace warpbound::analyzer
