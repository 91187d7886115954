#pragma once
/// \file
/// The extremes of a sample, and the fits of its tail.

#include "certification/pwcet/pwcet.hpp"

#include <span>

namespace warpbound::certification {

/// Fills `extremes` by the requested method; refuses too few of them and a heavy tail.
void choose_extremes(SeriesPwcet& series, const PwcetRequest& request,
                     std::span<const double> in_run_order, std::span<const double> sorted);

/// Fills `fits`, `after` and `rows`; refuses a heavy tail and a fit that the tests reject.
void fit_tail(SeriesPwcet& series, const PwcetRequest& request);

} // namespace warpbound::certification
