#pragma once
/// \file
/// What this program is built from.

#include "certification/bundle/inputs.hpp"

#include <vector>

namespace warpbound::cli {

/// Third-party components of this program, with their versions where known.
std::vector<certification::Component> components();

} // namespace warpbound::cli
