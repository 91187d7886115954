#pragma once
/// \file
/// What the description states of caches, links and DRAM, as far as accesses wait there (rules C23
/// to C29 of docs/reference/timing-contract.md, step S26 of docs/theory).

#include "certification/verify/evidence.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// The end of each value with which accesses wait longest. `Unit:` core cycles, or entries.
struct MemoryParameters {
    std::int64_t l1_service = 0;    ///< Of a line access.
    std::int64_t slice_service = 0; ///< Of a transaction.
    std::int64_t link_service = 0;  ///< Of a transaction.
    std::int64_t transfer = 0;      ///< For how long a line occupies a channel or a bank of DRAM.
    std::int64_t unloaded = 0; ///< From the L1 and back, for a load that waits for no other access.
    std::int64_t transit = 0;  ///< On a link.
    std::int64_t link_queue_entries = 0;
    std::int64_t load_queue_entries = 0; ///< Of loads that an L1 has not yet handled.
    std::int64_t mshr_entries = 0;       ///< Misses of an L1 that can be outstanding.
    /// h of S26: the least number of line accesses of loads that are outstanding while one waits
    /// for an MSHR entry or for a merge slot of one.
    std::int64_t outstanding_while_full = 0;
    std::int64_t refresh = 0; ///< Duration; 0: none.
    std::int64_t refresh_interval = 0;
    std::int64_t channels = 0;
};

/// Throws `Finding` when a value is missing or S26 does not hold with it.
MemoryParameters described_memory(const KernelCase& kernel, std::int64_t multiprocessors);

} // namespace warpbound::certification::verify
