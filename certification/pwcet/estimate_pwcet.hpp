#pragma once
/// \file
/// The order of work of a pWCET, from recorded runs to an estimate or a refusal.

#include "certification/pwcet/pwcet.hpp"

#include <vector>

namespace warpbound::certification {

/// Order of work: size and distinct values, modes, tests of the order, extremes, heavy tail, fit,
/// goodness of fit, extrapolation per run. Nothing is fitted where an earlier step refuses.
SeriesPwcet estimate_pwcet(TimesInRunOrder times, const PwcetRequest& request);

/// The largest estimate of the series at each probability; empty unless every series is estimated.
/// A constant series counts with its value.
std::vector<PwcetRow> envelope_of(const std::vector<SeriesPwcet>& series,
                                  const PwcetRequest& request);

} // namespace warpbound::certification
