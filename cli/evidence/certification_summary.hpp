#pragma once
/// \file
/// What `certify` says about the bundle that it made.

#include "certification/bundle/build.hpp"

#include <string>

namespace warpbound::cli {

/// Kernels with their bounds and observations, requirements and the verdict. `folder`: of the
/// bundle.
std::string summary_of(const certification::Bundle& bundle, const std::string& folder);

} // namespace warpbound::cli
