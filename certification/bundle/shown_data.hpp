#pragma once
/// \file
/// Which data of a launch the check of the evidence counts, too (docs/theory, S79).

#include "analyzer/bound.hpp"
#include "analyzer/request.hpp"
#include "certification/verify/evidence.hpp"

namespace warpbound::certification {

/// As the claim of a bundle states the data.
verify::LoadedDataRow row_of(const analyzer::LoadedUnits& loaded);

/// Whether `verify` accepts that the launch loads these data: its own execution of the code may
/// leave out fewer paths than that of the analysis.
bool is_shown(const analyzer::Request& request, const analyzer::LoadedUnits& loaded);

} // namespace warpbound::certification
