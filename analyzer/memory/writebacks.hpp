#pragma once
/// \file
/// What an L2 that keeps stored lines writes to DRAM when it replaces them (docs/soundness.md,
/// S22f).

#include "analyzer/launch/footprint.hpp"

#include <optional>

namespace warpbound::analyzer {

class AccessEnumeration;
struct AnalysisContext;

/// None: stores may go to DRAM at once, or it is not known which lines share a set. `keeps_lines`:
/// no L1 ever replaces a line. Requires: `context.caches`.
std::optional<Writebacks> writebacks(const AnalysisContext& context,
                                     const AccessEnumeration& accesses, bool keeps_lines);

} // namespace warpbound::analyzer
