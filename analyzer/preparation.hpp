#pragma once
/// \file
/// From a request to an analysis context: launch geometry, flow facts, timings, refusals.

#include "analyzer/launch/context.hpp"

namespace warpbound::analyzer {

/// By instruction: it can be reached without entering a block that is never executed.
/// `never`: by block.
std::vector<bool> used_instructions(const Request& request, const std::vector<bool>& never);

/// Refuses constructs that this version does not bound, and values that the description or the
/// facts lack. The request must outlive the context.
Result<AnalysisContext> prepare(const Request& request);

} // namespace warpbound::analyzer
