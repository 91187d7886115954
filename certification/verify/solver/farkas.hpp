#pragma once
/// \file
/// Farkas' lemma on a script: a weighted sum of its constraints that no counts meet shows that it
/// is unsatisfiable, by addition.
/// Source: Farkas 1902; Schrijver 1986, Theory of Linear and Integer Programming, corollary 7.1d.

#include "certification/verify/solver/script.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace warpbound::certification::verify {

/// By label of the constraint; 0 where absent.
using Multipliers = std::unordered_map<std::string, std::int64_t>;

/// The multipliers that the longest (lower side: shortest) distances of the nodes from the start
/// give. They refute the script of a certificate whose bound loop bounds alone show (docs/theory,
/// S18).
Multipliers distance_multipliers(const ControlFlow& flow, const Certificate& certificate);

/// Whether the constraints, each times its multiplier, add up to a contradiction. A sum beyond 64
/// bits, and a multiplier whose sign turns its constraint round, refute nothing.
/// Sound when: for every script and all multipliers.
bool is_refuted_by(const Script& script, const Multipliers& multipliers);

} // namespace warpbound::certification::verify
