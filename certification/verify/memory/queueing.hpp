#pragma once
/// \file
/// Queueing delay of accesses through caches, as terms that a bound without it needs in addition
/// (steps S26 and S29 of docs/theory).

#include "certification/verify/interference/certificate_values.hpp"
#include "certification/verify/memory/memory_parameters.hpp"
#include "models/units.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::certification::verify {

/// Refreshes of DRAM. `Unit:` core cycles.
struct Refreshes {
    std::int64_t duration = 0; ///< Of one.
    std::int64_t interval = 1;
    std::int64_t channels = 1;
};
/// S26 (d): refreshes that begin in a time that each of them makes longer, at most `most`; so many
/// also where the time grows without end. Side: upper.
std::int64_t refreshes_within(models::Cycles time, const Refreshes& refreshes, std::int64_t most);

/// `terms` and, after them, those of the queueing delay of the whole launch. `terms`: of a bound in
/// which no access waits for another one. `time_division`: warps issue in time slots only. Side:
/// upper.
std::vector<Term> with_queueing_terms(std::vector<Term> terms, const MemoryParameters& memory,
                                      bool time_division, const CertificateValues& values);

} // namespace warpbound::certification::verify
