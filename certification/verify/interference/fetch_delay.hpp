#pragma once
/// \file
/// What misses of the instruction caches add to an upper bound (steps S35 and S36 of
/// docs/soundness.md), from listing, description and launch.

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/interference/demand.hpp"

#include <vector>

namespace warpbound::certification::verify {

/// None where fetch costs nothing. Throws `Finding` when the description lacks a value or gives one
/// for which nothing is claimed. Sound when: every scheduler that has a warp that may issue chooses
/// one.
std::vector<Term> fetch_terms_of(const TimedCode& code);

} // namespace warpbound::certification::verify
