#pragma once
/// \file
/// Loads that avoid sectors: how many of them can precede the first accesses to several sectors of
/// an L1 that keeps everything (docs/theory, S58).

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

class AccessEnumeration;

/// Element j: the most loads of the launch that access none of j + 1 sectors of the L1, whichever
/// sectors these are. At least one element. None: the launch accesses too many sectors.
/// `sector`: of the L1. `Unit:` bytes. Side: upper.
std::optional<std::vector<std::int64_t>> loads_without_sectors(const AccessEnumeration& accesses,
                                                               std::uint64_t sector);

/// The most waits, each of a sector that was accessed first after `loads_of_wait` more whole loads.
/// Requires: loads_of_wait > 0. Side: upper.
std::int64_t most_waits_for_first_touches(const std::vector<std::int64_t>& loads_without,
                                          std::int64_t loads_of_wait);

} // namespace warpbound::analyzer
