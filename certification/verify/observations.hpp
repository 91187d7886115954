#pragma once
/// \file
/// Whether every recorded time lies within the bounds that are claimed for it.

#include "certification/verify/evidence.hpp"

namespace warpbound::certification::verify {

/// "warm-up 0, draw uniform, seed 1": runs on a device that takes seeds. Nothing without one.
std::optional<std::uint64_t> seed_of_protocol(const std::string& protocol);

/// Whether each run has the seed that the protocol of the series gives it. Throws `Finding`.
void check_seeds(const Series& series);

/// Also whether the samples are of this kernel and launch, and each run has the seed that its
/// protocol gives it: none was left out, swapped or added.
StepResult check_observations(const Evidence& evidence);

} // namespace warpbound::certification::verify
