#pragma once
/// \file
/// From a request to an analysis context: launch geometry, flow facts, timings, refusals.

#include "analyzer/launch/context.hpp"

namespace warpbound::analyzer {

/// Refuses constructs that this version does not bound, and values that the description or the
/// facts lack. The request must outlive the context.
Result<AnalysisContext> prepare(const Request& request);

} // namespace warpbound::analyzer
