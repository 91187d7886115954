#pragma once
/// \file
/// Consistency checks of a description beyond its schema.

#include "models/architecture/architecture.hpp"

namespace warpbound::models {

/// One line per relation that the known values break: a latency below its issue interval; cache
/// levels that are not in order; fewer threads than warps hold, or a register file that its
/// partitions do not divide. Unknown values break nothing. Empty: consistent.
std::vector<std::string> self_check(const Architecture& architecture);

} // namespace warpbound::models
