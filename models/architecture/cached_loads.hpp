#pragma once
/// \file
/// Loads through the caches behind a memory queue (C74).

#include "models/architecture/architecture.hpp"

#include <cstdint>

namespace warpbound::models {

/// From the issue to the hand-over of a load through the caches, without waits: the least `entry`
/// of loads of global and local memory; 0 without a memory queue. From the hand-over on the
/// latencies of the levels are less by it. `Unit:` core cycles.
std::int64_t entry_of_cached_loads(const Architecture& architecture);

} // namespace warpbound::models
