#pragma once
/// \file
/// One fixed report with something in every field.

#include "certification/report.hpp"

namespace warpbound::certification {

/// Bounds 1180 to 1234, eight observed times inside them, two estimates and one refused.
Report sample_report();

} // namespace warpbound::certification
