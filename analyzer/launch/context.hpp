#pragma once
/// \file
/// The analysis context that both sides share: what is known of a launch before its time is
/// bounded. Functions take the parts that they need; the whole is for what composes them.

#include "analyzer/launch/analysis_run.hpp"
#include "analyzer/launch/memory_path.hpp"
#include "analyzer/launch/scheduled_launch.hpp"
#include "analyzer/launch/timed_kernel.hpp"

namespace warpbound::analyzer {

struct AnalysisContext {
    TimedKernel kernel;
    ScheduledLaunch launch;
    MemoryPath memory;
    AnalysisRun run;
};

/// The context as it is known from the number of transactions alone, which is what evidence shows
/// of accesses (docs/theory, S26).
AnalysisContext without_addresses(const AnalysisContext& context);

} // namespace warpbound::analyzer
