#pragma once
/// \file
/// What misses of the instruction caches add to an upper bound (steps S35 and S36 of
/// docs/soundness.md), from listing, description and launch.

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/interference/demand.hpp"

#include <vector>

namespace warpbound::certification::verify {

/// Whether the lines of the text are persistent in the L0s, whatever their ways (S36). Requires: a
/// description of instruction caches.
bool lines_stay_in_l0(const TimedCode& code);

/// None where fetch costs nothing. Throws `Finding` when the description lacks a value or gives one
/// for which nothing is claimed. Sound when: every scheduler that has a warp that may issue chooses
/// one, or one of its active set where the lines stay in the L0.
std::vector<Term> fetch_terms_of(const TimedCode& code);

} // namespace warpbound::certification::verify
