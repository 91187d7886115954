#pragma once
/// \file
/// Queueing delay at the response link from the slices to an L1 (docs/theory, S22e).

#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/memory_path.hpp"

#include <cstdint>
#include <optional>

namespace warpbound::analyzer {

struct Traffic;

/// Side: upper. `Unit:` core cycles.
struct ResponseLink {
    std::int64_t delay = 0; ///< Of each transaction.
    std::int64_t extra_delay =
        0; ///< Additional, in total: by transactions without a DRAM transfer.
};

/// Requires: `memory.caches`. None: data may arrive from DRAM faster than a response link transmits
/// them.
std::optional<ResponseLink> response_link(const LaunchGeometry& shape, const MemoryPath& memory,
                                          const Traffic& traffic);

} // namespace warpbound::analyzer
