#pragma once
/// \file
/// Whether calibrated values of a description follow from the samples that they name.

#include "certification/verify/evidence.hpp"

namespace warpbound::certification::verify {

/// Calibrates again from the bundle's samples and compares: every value of grade `measured` whose
/// source is a campaign must have the interval, the benchmarks and the digest that come out. Also
/// whether each run has the seed that its protocol gives it. Incomplete when the samples are not in
/// the bundle, not applicable when no value names a campaign.
StepResult check_refit(const Evidence& evidence);

} // namespace warpbound::certification::verify
