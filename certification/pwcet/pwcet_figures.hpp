#pragma once
/// \file
/// Plots of a pWCET: return level, residual CV, mean excess, stability of the shape, QQ.

#include "certification/pwcet/pwcet_report.hpp"

#include <string>

namespace warpbound::certification {

/// Figures as HTML: those of the sample where it is not constant, those of the fit where there is
/// one.
std::string figures_of(const SeriesPwcet& series, const PwcetReport& report);

} // namespace warpbound::certification
