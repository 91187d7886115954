#pragma once
/// \file
/// What was required of the kernels' times, decided again from checked claims and recorded times.

#include "certification/verify/evidence.hpp"

namespace warpbound::certification::verify {

/// Reads the requirements and the factor of `--check` from the inputs, compares them with claims
/// and recorded times, and the outcome with what `claims.json` says of them. Not applicable when
/// nothing was required. Requires: claims whose structure holds.
StepResult check_requirements(const Files& files, const Evidence& evidence);

} // namespace warpbound::certification::verify
