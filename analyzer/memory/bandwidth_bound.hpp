#pragma once
/// \file
/// Bandwidth bounds: least time of the traffic of a launch at caches, links and DRAM, each of which
/// serves one request after another (docs/theory, S22).

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Alternative lower bounds of the launch's time, each a sum of terms. Side: lower. Requires:
/// `context.caches`.
std::vector<std::vector<BoundTerm>> bandwidth_bounds(const AnalysisContext& context);

} // namespace warpbound::analyzer
