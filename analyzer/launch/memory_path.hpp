#pragma once
/// \file
/// Where accesses of a launch wait for each other beyond their unit: caches, links, DRAM and the
/// atomics at the L2.

#include "analyzer/launch/footprint.hpp"
#include "analyzer/launch/memory_parameters.hpp"

#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// What the addresses of an access refine.
struct UnrefinedAccess {
    models::Interval passes;
    models::Interval latency;
};

struct MemoryPath {
    std::optional<MemoryParameters> caches; ///< Present where an access goes through them.
    std::optional<Footprint> footprint;     ///< Of these accesses, where it can be listed.
    /// Per instruction, present with `footprint`: what its timing contained before.
    std::vector<std::optional<UnrefinedAccess>> unrefined;
    bool atomics_wait = false; ///< A global atomic may wait for others at the L2 (C57).

    /// Whether results may come later than their latencies, because accesses wait for others in the
    /// memory system.
    [[nodiscard]] bool has_queueing() const { return caches || atomics_wait; }
};

} // namespace warpbound::analyzer
