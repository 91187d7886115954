#pragma once
/// \file
/// Bandwidth bounds: least time of the traffic of a launch at caches, links and DRAM, each of which
/// serves one request after another (docs/theory, S22).

#include "analyzer/bound.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/memory_path.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <vector>

namespace warpbound::analyzer {

/// Alternative lower bounds of the launch's time, each a sum of terms. Side: lower. Requires:
/// `memory.caches`.
std::vector<std::vector<BoundTerm>>
bandwidth_bounds(const TimedKernel& kernel, const LaunchGeometry& shape, const MemoryPath& memory);

} // namespace warpbound::analyzer
