#pragma once
/// \file
/// Footprint analysis: lines, sectors and rows that the loads and stores of a launch access, if
/// address patterns describe all accesses (docs/theory, S22).

#include "analyzer/launch/context.hpp"
#include "analyzer/launch/footprint.hpp"

#include <optional>

namespace warpbound::analyzer {

/// None: the launch makes too many accesses to enumerate. Requires: `context.caches`.
std::optional<Footprint> footprint_of(const AnalysisContext& context);

} // namespace warpbound::analyzer
