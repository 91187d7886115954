#pragma once
/// \file
/// What misses of constant operands delay the critical path of a launch, as terms of an upper bound
/// (docs/theory, S42 and S43).

#include "analyzer/bound.hpp"
#include "analyzer/launch/analysis_run.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "analyzer/microarchitecture/clock_region.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Side: upper. Refuses a guarded barrier, naming it. Requires: `kernel.delivery.operands`.
Result<std::vector<BoundTerm>> operand_delay(const TimedKernel& kernel,
                                             const ScheduledLaunch& launch, const AnalysisRun& run);
/// Between two clock reads of one warp that runs alone. Side: upper. Requires:
/// `kernel.delivery.operands`.
std::vector<BoundTerm> operand_delay_between(const TimedKernel& kernel, const AnalysisRun& run,
                                             const ClockRegion& region);

} // namespace warpbound::analyzer
