#pragma once
/// \file
/// What the caches and DRAM did in a run, counted.

#include "harness/simulator/clock/event.hpp"

#include <cstdint>

namespace warpbound::harness::trace {

/// `Unit:` sectors of the cache.
struct CacheAccount {
    std::int64_t hit = 0;    ///< Of loads: there.
    std::int64_t merged = 0; ///< On their way already.
    std::int64_t missed = 0; ///< Sent for.
    std::int64_t stored = 0;
};

struct MemoryAccount {
    CacheAccount l1;              ///< Of all SMs.
    CacheAccount l2;              ///< Of all slices.
    CacheAccount constants;       ///< Of all SMs; lines.
    std::int64_t dram_reads = 0;  ///< Transfers.
    std::int64_t dram_writes = 0; ///< Transfers.
    std::int64_t row_hits = 0;    ///< Of both.

    void hear(const simulator::Event& event);
    /// Whether a load or store went through L1 and L2.
    [[nodiscard]] bool has_any() const;
};

} // namespace warpbound::harness::trace
