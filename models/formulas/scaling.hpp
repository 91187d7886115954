#pragma once
/// \file
/// The one calibrated factor of models that divide their time by it.

#include "assembly/support/result.hpp"
#include "models/estimate.hpp"
#include "models/formulas/quantities.hpp"

namespace warpbound::models {

/// Estimate, not a bound. The factor lambda that makes a model's time equal the measured one: time
/// with lambda = 1 over measured time. Unit: 1. Source: Amaris et al. 2015; Gajger 2017, eq. 4.1.
/// Refuses times that are not positive.
Result<double> scaling_factor(Estimate<Seconds> unscaled, Seconds measured);

} // namespace warpbound::models
