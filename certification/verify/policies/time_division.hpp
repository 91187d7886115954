#pragma once
/// \file
/// The sums that bound a launch under a time-division policy (steps S23 and S29 of
/// docs/theory).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/policies/blocked_paths.hpp"
#include "certification/verify/policies/slot_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// What the instructions of a warp block of time slots by filling a memory queue (S78), for each
/// distance and for any warp slot. `distances`: those of the warp slots.
DemandTables queue_place_demand_of(const TimedCode& code,
                                   const std::vector<SlotDistance>& distances);

/// The sum of S23 for the warp slot where it is largest. `through_caches`: write buffer and drains
/// are left to the queueing terms (S29). Side: upper.
std::vector<Term> time_division_upper_terms_of(const TimedCode& code, const DemandTables& tables,
                                               const std::vector<SlotDistance>& distances,
                                               const BlockedPaths& blocked, bool through_caches,
                                               const CertificateValues& values);

/// The lower bound of S23 that starts with a term of this certificate; none where the certificate
/// is not about time slots. Side: lower.
std::optional<std::vector<Term>> time_division_lower_terms_of(const TimedCode& code,
                                                              const std::string& first_certificate,
                                                              const CertificateValues& values);

} // namespace warpbound::certification::verify
