#pragma once
/// \file
/// How the guard of an instruction and that of the branch at the end of its block belong together.

#include "assembly/isa/program.hpp"

#include <cstddef>
#include <optional>

namespace warpbound::assembly {

/// Of a guarded instruction and the branch that ends its block: whether it executes for those lanes
/// that the branch transfers (true), or for those that it does not (false). None: for others, as
/// where the predicate is written in between or a register decides the branch besides its guard.
std::optional<bool> executes_if_transferred(const Function& function, std::size_t instruction,
                                            std::size_t branch);

} // namespace warpbound::assembly
