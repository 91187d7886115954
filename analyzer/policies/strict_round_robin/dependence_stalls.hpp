#pragma once
/// \file
/// Longest dependence stalls of a warp, whatever it executed before (docs/theory, S28).

#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/path_bound.hpp"

namespace warpbound::analyzer {

/// Assumes that each resource an instruction may wait for is occupied for its longest use on any
/// path. Side: upper. Never below `longest_stalls`; a verifier can recompute it without tracking
/// outstanding instructions.
LongestStalls stalls_in_any_order(const TimedKernel& kernel, const LaunchGeometry& shape);

} // namespace warpbound::analyzer
