#pragma once
/// \file
/// Bounds of one warp in isolation.

#include "analyzer/launch/path_bound.hpp"

#include <string>

namespace warpbound::analyzer {

/// The time of one warp from its start to its completion, with a witness path. Refuses facts that
/// no path satisfies. `id_suffix`: end of the certificate id, for a bound that rests on several
/// such times.
Result<SideAnswer> bound_single_warp(const TimedKernel& kernel, const AnalysisRun& run,
                                     const PipelinePair& pipelines, const PathQuery& query,
                                     const std::string& id_suffix = "");

} // namespace warpbound::analyzer
