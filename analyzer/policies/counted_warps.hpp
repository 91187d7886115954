#pragma once
/// \file
/// Path certificates of sums that count each warp by the indices of its threads (docs/theory, S85).

#include "analyzer/bound_expression.hpp"
#include "analyzer/interference/demand_by_warp.hpp"
#include "analyzer/launch/analysis_run.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Keeps certificates of what these terms count beyond ports of the multiprocessor, if the request
/// asks for certificates.
void certify_beyond_ports(const TimedKernel& kernel, const AnalysisRun& run,
                          const DemandByWarp& found, const std::vector<BoundTerm>& terms);

} // namespace warpbound::analyzer
