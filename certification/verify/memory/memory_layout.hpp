#pragma once
/// \file
/// What the description states of caches, links and DRAM where the addresses of all accesses are
/// known (rules C23 to C29 of docs/reference/timing-contract.md, steps S21 to S22f, S57 and S58 of
/// docs/theory).

#include "certification/verify/evidence.hpp"

#include <algorithm>
#include <cstdint>

namespace warpbound::certification::verify {

/// `Unit:` bytes of sizes, core cycles of times.
struct MemoryLayout {
    std::uint64_t line = 0;      ///< Of the L1.
    std::uint64_t sector = 0;    ///< Of the L1.
    std::uint64_t l2_line = 0;   ///< At least a line of the L1.
    std::uint64_t l2_sector = 0; ///< Of a line of the L2.
    std::uint64_t row = 0;       ///< Of DRAM.
    models::Interval l1_sets;
    std::int64_t l1_ways = 1; ///< At least.
    models::Interval l2_sets; ///< Of a slice.
    std::int64_t l2_ways = 1; ///< At least.
    models::Interval slices;
    models::Interval channels;
    models::Interval banks;       ///< Of a channel.
    bool stores_evict = true;     ///< A store may invalidate a line of the L1.
    bool l2_keeps_stores = false; ///< Until it replaces the line.

    models::Interval l1_latency;
    models::Interval l2_latency;
    models::Interval dram_latency;
    models::Interval transit;          ///< On a link.
    std::int64_t l1_service = 0;       ///< At most.
    std::int64_t l1_service_lo = 0;    ///< At least.
    std::int64_t slice_service = 0;    ///< At most.
    std::int64_t slice_service_lo = 0; ///< At least.
    models::Interval link_service;
    models::Interval row_hit; ///< Of a sector.
    std::int64_t row_miss = 0;

    models::Interval l1_entries; ///< MSHR entries.
    std::int64_t l1_merges = 1;
    std::int64_t slice_entries = 1;
    std::int64_t slice_merges = 1;
    std::int64_t load_queue = 1;
    std::int64_t link_queue = 1;
    models::Interval channel_queue;
    std::int64_t refresh = 0; ///< Duration; 0: none.
    std::int64_t refresh_interval = 0;

    bool behind_queues = false;    ///< Loads wait in memory queues in front of the L1 (C74).
    std::int64_t to_hand_over = 0; ///< What of the latency of each level passes before.

    /// By how much an access may take longer on both links than one that it merges with (S21).
    [[nodiscard]] std::int64_t spread() const { return 2 * (transit.hi - transit.lo); }
    /// Latency of any load that waits for no other access, from the L1 on.
    [[nodiscard]] std::int64_t unloaded() const {
        return std::max(l2_latency.hi, dram_latency.hi) + spread();
    }
    /// Whether an address tells the set of the L2, or the channel.
    [[nodiscard]] bool places_in_l2() const { return l2_sets.is_exact() && slices.is_exact(); }
    [[nodiscard]] bool places_in_channels() const {
        return slices.is_exact() && channels.is_exact() && slices.lo % channels.lo == 0;
    }
    /// Of an address, over all slices. Requires: `places_in_l2()`.
    [[nodiscard]] std::uint64_t l2_set(std::uint64_t address) const;
    /// Requires: `places_in_channels()`.
    [[nodiscard]] std::uint64_t channel(std::uint64_t address) const;
};

/// Throws `Finding` when a value is missing or the theorems do not hold with it.
MemoryLayout read_memory_layout(const KernelCase& kernel);

} // namespace warpbound::certification::verify
