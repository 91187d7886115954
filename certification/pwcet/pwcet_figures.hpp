#pragma once
/// \file
/// Plots of a pWCET: return level, residual CV, mean excess, stability of the shape, QQ.

#include "certification/pwcet/pwcet_report.hpp"

#include <string>

namespace warpbound::certification {

/// Figures as HTML. A refused series has those of the sample only: nothing that is fitted.
std::string figures_of(const SeriesPwcet& series, const PwcetReport& report);

} // namespace warpbound::certification
