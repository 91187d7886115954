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

/// Both hold; nothing when that is no conjunction of a few comparisons or the opposite of one.
std::optional<Predicate> conjunction(const Predicate& a, const Predicate& b);

} // namespace warpbound::analyzer
