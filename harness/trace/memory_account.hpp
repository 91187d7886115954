#pragma once
/// \file
/// Counts of cache and DRAM events in a run.

#include "harness/simulator/clock/event.hpp"

#include <cstdint>

namespace warpbound::harness::trace {

/// `Unit:` sectors of the cache.
struct CacheAccount {
    std::int64_t hit = 0;    ///< Load hits.
    std::int64_t merged = 0; ///< Load misses merged with an outstanding miss.
    std::int64_t missed = 0; ///< Load misses sent to the next level.
    std::int64_t stored = 0; ///< Sectors written.
};

struct MemoryAccount {
    CacheAccount l1;              ///< Of all SMs.
    CacheAccount l2;              ///< Of all slices.
    CacheAccount constants;       ///< Of all SMs; lines.
    std::int64_t dram_reads = 0;  ///< Transfers.
    std::int64_t dram_writes = 0; ///< Transfers.
    std::int64_t row_hits = 0;    ///< Row hits of both.

    void receive(const simulator::Event& event);
    /// Whether a load or store went through L1 and L2.
    [[nodiscard]] bool has_any() const;
};

} // namespace warpbound::harness::trace
