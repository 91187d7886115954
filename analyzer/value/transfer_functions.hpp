#pragma once
/// \file
/// What an instruction computes from numbers and predicates that are known (docs/soundness.md, S16
/// and S19a).

#include "analyzer/value/symbolic_registers.hpp"

namespace warpbound::analyzer {

/// The number in its first destination; nothing when this version does not understand it.
std::optional<AffineExpression> number_computed(const SymbolicRegisters& values,
                                                const assembly::Instruction& instruction);
/// What its first predicate says after it; nothing when this version does not understand it.
std::optional<Predicate> predicate_computed(const SymbolicRegisters& values,
                                            const assembly::Instruction& instruction);

/// What the instruction does to the registers. What this version does not understand makes the
/// registers that it writes unknown (with a place: numbers with names of their own); an instruction
/// that may be predicated off leaves a register known only if it does not change it.
void execute(SymbolicRegisters& registers, const assembly::Instruction& instruction,
             const std::optional<Place>& place = std::nullopt);

/// Both hold; nothing when that is no conjunction of a few comparisons or the opposite of one.
std::optional<Predicate> conjunction(const Predicate& a, const Predicate& b);

} // namespace warpbound::analyzer
