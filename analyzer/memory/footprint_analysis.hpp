#pragma once
/// \file
/// Which lines, sectors and rows the loads and stores of a launch touch, where address patterns
/// give all of them (docs/soundness.md, S22).

#include "analyzer/launch/context.hpp"
#include "analyzer/launch/footprint.hpp"

#include <optional>

namespace warpbound::analyzer {

/// None: the launch makes too many accesses to list them. Requires: `context.caches`.
std::optional<Footprint> footprint_of(const AnalysisContext& context);

} // namespace warpbound::analyzer
