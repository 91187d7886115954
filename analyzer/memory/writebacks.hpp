#pragma once
/// \file
/// Writebacks to DRAM by a write-back L2 when it replaces stored lines (docs/theory, S22f).

#include "analyzer/launch/footprint.hpp"

#include <optional>

namespace warpbound::analyzer {

class AccessEnumeration;
struct AnalysisContext;

/// None: stores may be written to DRAM at once, or it is not known which lines share a set.
/// `keeps_lines`: no L1 replaces a line (all lines are persistent). Requires: `context.caches`.
std::optional<Writebacks> writebacks(const AnalysisContext& context,
                                     const AccessEnumeration& accesses, bool keeps_lines);

} // namespace warpbound::analyzer
