#pragma once
/// \file
/// Relation between an instruction's guard and that of the branch that ends its block.

#include "assembly/isa/program.hpp"

#include <cstddef>
#include <optional>

namespace warpbound::assembly {

/// True: the guarded instruction executes exactly for the lanes that take the branch; false:
/// exactly for those that fall through. Nothing: neither follows, e.g. where the predicate is
/// written in between or an operand decides the branch in addition to its guard.
std::optional<bool> executes_if_taken(const Function& function, std::size_t instruction,
                                      std::size_t branch);

/// The same of a guarded barrier at which all threads of a block wait, before a branch that its
/// guard alone decides: the barrier lies on one of the edges of the branch. Nothing: it does not.
std::optional<bool> barrier_if_taken(const Function& function, std::size_t instruction,
                                     std::size_t branch);

/// P of `BRA P, TARGET`, and UP of `BRA.U UP, TARGET`: the branch is taken where its guard and this
/// operand hold. Null: it has none, or something else decides, too.
const RegisterOperand* deciding_operand(const Instruction& branch);

/// Whether a branch is taken where a condition of all active lanes holds (BRA.DIV, BRA.CONV,
/// BRA.U.ANY): neither guard nor operand of one lane says whether it goes there.
bool asks_other_lanes(const Instruction& branch);

/// Whether the guard alone decides if a direct branch is taken: no operand and no modifier does.
bool is_decided_by_guard(const Instruction& branch);

} // namespace warpbound::assembly
