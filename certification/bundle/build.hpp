#pragma once
/// \file
/// Builds an evidence bundle from its inputs: analyses every kernel, states the claims and renders
/// the reports. The same inputs give the same bytes.

#include "certification/bundle/bundle.hpp"
#include "certification/bundle/inputs.hpp"

namespace warpbound::certification {

/// Refuses what the readers and the analyzer refuse.
Result<Bundle> build_bundle(const BundleInputs& inputs);

} // namespace warpbound::certification
