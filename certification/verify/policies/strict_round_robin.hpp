#pragma once
/// \file
/// The sums that bound a launch under strict round robin (steps S25, S25a and S28 of
/// docs/theory).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/policies/round_robin_demand.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// Whether several warps of a scheduler take turns: a warp that is alone on its scheduler always
/// has the turn.
bool has_strict_turns(const TimedCode& code);

/// Sums of which each is a bound: by rotations of each length that certificates count, by warps,
/// and of the only schedule. `through_caches`: whether accesses wait at caches. Requires:
/// `has_strict_turns`. Throws `Finding` when the rotations do not fit the launch, or a certificate
/// is missing. Side: upper.
std::vector<std::vector<Term>> strict_round_robin_terms_of(const TimedCode& code,
                                                           const DemandTables& tables,
                                                           const RotationDemand& demand,
                                                           bool through_caches,
                                                           const CertificateValues& values);

/// The only schedule of warps with one path; none: there may be several, or the claim is of a
/// certificate. Side: lower.
std::optional<std::vector<Term>>
strict_round_robin_lower_terms_of(const TimedCode& code, const std::string& first_certificate,
                                  const CertificateValues& values);

} // namespace warpbound::certification::verify
