#pragma once
/// \file
/// Queueing delay of accesses through caches, as terms that a bound without it needs in addition
/// (steps S26 and S29 of docs/theory).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/memory/memory_parameters.hpp"

#include <vector>

namespace warpbound::certification::verify {

/// `terms` and, after them, those of the queueing delay of the whole launch. `terms`: of a bound in
/// which no access waits for another one. `time_division`: warps issue in time slots only. Side:
/// upper.
std::vector<Term> with_queueing_terms(std::vector<Term> terms, const MemoryParameters& memory,
                                      bool time_division, const CertificateValues& values);

} // namespace warpbound::certification::verify
