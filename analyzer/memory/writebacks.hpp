#pragma once
/// \file
/// Writebacks to DRAM by a write-back L2 when it replaces stored lines (docs/theory, S22f).

#include "analyzer/launch/footprint.hpp"
#include "analyzer/launch/memory_parameters.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

class AccessEnumeration;

/// None: stores may be written to DRAM at once, or it is not known which lines share a set.
/// `keeps_lines`: no L1 replaces a line (all lines are persistent).
std::optional<Writebacks> writebacks(const AccessEnumeration& accesses,
                                     const MemoryParameters& caches, std::int64_t multiprocessors,
                                     bool keeps_lines);

} // namespace warpbound::analyzer
