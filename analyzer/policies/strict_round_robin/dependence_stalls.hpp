#pragma once
/// \file
/// For how long a warp is not ready at most, whatever it executed before (docs/soundness.md, S28).

#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Each thing that an instruction may wait for lasts as long as the longest use of it on any path.
/// Side: upper. Not below `longest_stalls`, and checked without following what is outstanding.
LongestStalls stalls_in_any_order(const AnalysisContext& context);

} // namespace warpbound::analyzer
