#pragma once
/// \file
/// Parameters of the described caches, links and DRAM, equal in all runs.

#include "harness/simulator/clock/random.hpp"
#include "models/architecture/architecture.hpp"

#include <cstddef>
#include <cstdint>

namespace warpbound::harness::simulator {

/// Sizes in bytes, powers of two; times in core cycles.
struct CacheShape {
    std::uint64_t line = 0;
    std::uint64_t sector = 0;
    std::uint64_t sets = 0;
    std::uint64_t ways = 0;
    std::size_t mshr_entries = 0;
    std::size_t mshr_merges = 0;
    Range service; ///< Between two line accesses.
    Range latency; ///< Without queueing, from the access of the L1 to the result.

    [[nodiscard]] std::int64_t sectors_per_line() const {
        return static_cast<std::int64_t>(line / sector);
    }
};

struct DramShape {
    Range latency; ///< As in `CacheShape`.
    std::size_t channels = 1;
    std::size_t banks = 1;
    std::uint64_t row = 0; ///< Bytes.
    Range row_hit;         ///< Occupies the channel, per sector.
    Range row_miss;        ///< Occupies the bank, when another row was open.
    std::size_t queue = 1; ///< Entries of the transfer queue of a channel.
    Range refresh_interval;
    Range refresh_duration;
};

struct MemoryShape {
    CacheShape l1;
    std::size_t l1_queue = 1;
    bool l1_write_evict = false;
    bool l1_invalidate = false; ///< The first access of a launch finds it empty (C79).
    CacheShape l2;              ///< Sets, ways and MSHR entries of one slice.
    std::size_t slices = 1;
    bool l2_write_allocate = false;
    bool l2_write_back = false;
    Range transit;              ///< Of the interconnect, in one direction.
    Range link_service;         ///< Of one SM, per transaction and direction.
    std::size_t link_queue = 1; ///< Transactions of an SM that no slice has accepted yet.
    DramShape dram;
};

/// The slices of the L2 as global atomics see them (C57).
struct AtomicShape {
    std::size_t slices = 1; ///< 1 where the description does not give their number.
    std::uint64_t line = 0; ///< Of the L2; 0: addresses do not determine the slice.
};
AtomicShape read_atomic_shape(const models::Architecture& architecture);

/// Refuses values that are absent, unknown or inconsistent, by name.
Result<MemoryShape> read_memory_shape(const models::Architecture& architecture);

} // namespace warpbound::harness::simulator
