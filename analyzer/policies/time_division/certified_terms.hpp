#pragma once
/// \file
/// Bounds under time division as sums of certified path bounds (docs/soundness.md, S23). They may
/// be looser than those of `time_division`. Queueing delay at the caches is added separately.

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Side: upper. Requires: the request asks for certificates. Refuses
/// what `barriers_without_early_ends` refuses.
Result<SideAnswer> certify_time_division_from_above(const AnalysisContext& launched,
                                                    Deadline deadline);

} // namespace warpbound::analyzer
