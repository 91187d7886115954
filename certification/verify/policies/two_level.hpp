#pragma once
/// \file
/// Two-level scheduling: warps that may issue and are outside the active set (step S31 of
/// docs/theory).

#include "certification/verify/interference/demand.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// Whether a scheduler has more warp slots than its active set holds.
bool exceeds_active_set(const TimedCode& code);

/// For cycles in which the warp of the critical path may issue but is outside the active set.
/// `warps`: m of S31. Requires: `exceeds_active_set`. Side: upper.
std::vector<Term> active_set_terms_of(const TimedCode& code, std::int64_t warps);

/// For how long a warp waits within the active set before each instruction, and for how long it
/// occupies ports beyond its issue slots.
DemandTables active_set_demand_of(const TimedCode& code);

} // namespace warpbound::certification::verify
