#pragma once
/// \file
/// One fixed report with something in every field.

#include "certification/report/report.hpp"

namespace warpbound::certification {

/// Bounds 1180 to 1234, eight observed times inside them, two estimates and one refused.
Report sample_report();

/// Adds a series with one time a run; where there are no seeds they are 0.
void observe(Report& report, const std::string& quantity, const std::vector<std::int64_t>& times,
             const std::vector<std::uint64_t>& seeds = {});

} // namespace warpbound::certification
