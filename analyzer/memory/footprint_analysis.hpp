#pragma once
/// \file
/// Footprint analysis: lines, sectors and rows that the loads and stores of a launch access, if
/// address patterns describe all accesses (docs/theory, S22).

#include "analyzer/launch/footprint.hpp"
#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/memory_parameters.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <optional>

namespace warpbound::analyzer {

/// None: the launch makes too many accesses to enumerate.
std::optional<Footprint> footprint_of(const TimedKernel& kernel, const LaunchGeometry& shape,
                                      const MemoryParameters& caches);

} // namespace warpbound::analyzer
