#pragma once
/// \file
/// Whether the claims follow from their tables: control flow, paths, witnesses, sums.

#include "certification/verify/evidence.hpp"

namespace warpbound::certification::verify {

StepResult check_structure(const Evidence& evidence);

} // namespace warpbound::certification::verify
