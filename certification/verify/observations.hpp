#pragma once
/// \file
/// Whether every recorded time lies within the bounds that are claimed for it.

#include "certification/verify/evidence.hpp"

namespace warpbound::certification::verify {

/// Also whether the samples are of this kernel and launch, and each run has the seed that its
/// protocol gives it: none was left out, swapped or added.
StepResult check_observations(const Evidence& evidence);

} // namespace warpbound::certification::verify
