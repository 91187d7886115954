#pragma once
/// \file
/// What the instruction caches delay the critical path of a launch, as terms of an upper bound
/// (docs/soundness.md, S35 and S36).

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Beyond the waits that gaps contain. Side: upper. Refuses a guarded barrier, naming it. Requires:
/// instruction caches are described.
Result<std::vector<BoundTerm>> fetch_delay(const AnalysisContext& context);

} // namespace warpbound::analyzer
