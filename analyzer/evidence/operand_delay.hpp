#pragma once
/// \file
/// What misses of constant operands delay the critical path of a launch, as terms of an upper bound
/// (docs/theory, S42 and S43).

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"
#include "analyzer/microarchitecture/clock_region.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Side: upper. Refuses a guarded barrier, naming it. Requires: `context.operand_lines`.
Result<std::vector<BoundTerm>> operand_delay(const AnalysisContext& context);
/// Between two clock reads of one warp that runs alone. Side: upper. Requires:
/// `context.operand_lines`.
std::vector<BoundTerm> operand_delay_between(const AnalysisContext& context,
                                             const ClockRegion& region);

} // namespace warpbound::analyzer
