#pragma once
/// \file
/// Bounds of slotted launches as sums of path lemmas, for evidence (docs/soundness.md, S23). They
/// may be looser than those of `slotted_warps`. What goes through the caches waits beside them.

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Side: upper. Requires: the request asks for proofs. Refuses barriers of blocks with several
/// warps.
Result<SideAnswer> certify_time_division_from_above(const AnalysisContext& launched,
                                                    Deadline deadline);

} // namespace warpbound::analyzer
