#pragma once
/// \file
/// How long what a launch brings through caches, links and DRAM takes at least, because each of
/// them serves one thing after another (docs/soundness.md, S22).

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Ways to a lower bound of the launch's time, each a sum of terms. Side: lower. Requires:
/// `context.caches`.
std::vector<std::vector<BoundTerm>> bandwidth_bounds(const AnalysisContext& context);

} // namespace warpbound::analyzer
