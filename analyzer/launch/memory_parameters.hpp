#pragma once
/// \file
/// Parameters of caches, links and DRAM from the machine description, as far as queueing delays
/// need them (rules C23 to C29 of docs/reference/timing-contract.md).

#include "models/architecture/architecture.hpp"
#include "models/facts/address_pattern.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Each value is the end of its interval that is safe for an upper bound, unless it is an interval
/// or its comment says otherwise. `second_`: of the L2. `Unit:` core cycles; of sizes: bytes.
struct MemoryParameters {
    std::uint64_t line = 0;          ///< Of the L1.
    std::uint64_t sector = 0;        ///< Of the L1.
    std::uint64_t second_line = 0;   ///< Of the L2.
    std::uint64_t second_sector = 0; ///< Of the L2.
    std::uint64_t row = 0;           ///< Of DRAM.
    std::uint64_t sets = 0;          ///< Of the L1; 0: not one number.
    std::int64_t ways = 1;           ///< Of the L1, at least.
    std::uint64_t second_sets = 0;   ///< Of a slice; 0: not one number.
    std::int64_t second_ways = 1;    ///< Of a slice, at least.
    bool write_evict = true;         ///< A store may evict a line of the L1.
    bool keeps_stores = false;       ///< The L2 holds every store until it replaces the line.
    std::int64_t first_level_latency = 0;
    std::int64_t first_level_latency_lo = 0;
    models::Interval first_level_service;
    std::int64_t load_queue = 1; ///< Loads from issue until the L1 has handled their last line.
    models::Interval slice_service;
    models::Interval link_service;
    std::int64_t link_queue = 1; ///< Exact.
    models::Interval transit;    ///< In one direction.
    /// By how much the transit of an access may be longer than that of one with which it merges.
    std::int64_t transit_spread = 0;
    std::int64_t round_trip = 0;    ///< From the access of the L1 to the arrival, unloaded.
    std::int64_t round_trip_lo = 0; ///< Side: lower.
    /// Latencies of the levels, as from the access of the L1.
    std::int64_t second_latency = 0;
    std::int64_t dram_latency = 0;
    models::Interval entries;       ///< MSHR entries of the L1.
    std::int64_t merges = 1;        ///< Accesses of one MSHR entry.
    std::int64_t slice_entries = 1; ///< MSHR entries of a slice.
    std::int64_t slice_merges = 1;
    models::Interval row_hit; ///< Of the channel, for each sector of a transfer.
    std::int64_t row_miss = 0;
    std::int64_t transfer = 0; ///< For how long one occupies its channel or bank.
    models::Interval slices;
    models::Interval channels;
    models::Interval banks;
    models::Interval dram_queue;
    std::int64_t refresh_interval = 0;
    std::int64_t refresh_duration = 0; ///< A transfer fits between two refreshes.
    std::int64_t dram_latency_lo = 0;  ///< Side: lower.

    /// Whether the address of an access gives its channel.
    [[nodiscard]] bool knows_channels() const {
        return slices.is_exact() && channels.is_exact() && slices.lo % channels.lo == 0;
    }
    /// Whether addresses give the lines that share a set of a slice.
    [[nodiscard]] bool knows_second_sets() const { return second_sets != 0 && slices.is_exact(); }
    /// Set of a line of the L2, counted over all slices, by the line's number. Requires:
    /// `knows_second_sets`.
    [[nodiscard]] std::uint64_t second_set_of(std::uint64_t number) const {
        const auto count = static_cast<std::uint64_t>(slices.lo);
        return number / count % second_sets * count + number % count;
    }
    /// Touched sectors of the L2 line that contains the L1 line, by bits.
    [[nodiscard]] std::uint64_t second_sectors_of(const models::TouchedLine& line) const;
    /// Requires: `knows_channels`.
    [[nodiscard]] std::uint64_t channel_of(std::uint64_t address) const {
        return address / second_line % static_cast<std::uint64_t>(slices.lo) /
               static_cast<std::uint64_t>(slices.lo / channels.lo);
    }
};

/// Refuses a value that is missing or does not fit the others, and names it.
Result<MemoryParameters> read_memory_parameters(const models::Architecture& architecture);

} // namespace warpbound::analyzer
