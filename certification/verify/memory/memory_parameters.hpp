#pragma once
/// \file
/// What the description says of caches, links and DRAM, as far as launches wait there (rules C23 to
/// C29 of docs/reference/timing-contract.md, step S26 of docs/soundness.md).

#include "certification/verify/evidence.hpp"

#include <cstdint>

namespace warpbound::certification::verify {

/// The end of each value that makes launches wait longest. `Unit:` core cycles, or places.
struct MemoryParameters {
    std::int64_t l1_service = 0;    ///< Of a line access.
    std::int64_t slice_service = 0; ///< Of a transaction, as that of a link.
    std::int64_t link_service = 0;
    std::int64_t transfer = 0; ///< For how long a line keeps a channel or a bank of DRAM.
    std::int64_t way = 0;      ///< Of a load that meets nobody, from the L1 and back.
    std::int64_t transit = 0;  ///< On a link.
    std::int64_t link_places = 0;
    std::int64_t load_places = 0; ///< Of loads that an L1 has not handled yet.
    std::int64_t entries = 0;     ///< Misses of an L1 that can be under way.
    /// Line accesses of loads that are under way, at least, whenever one waits for an entry or a
    /// place in one.
    std::int64_t holders = 0;
    std::int64_t refresh = 0; ///< Duration; 0: none.
    std::int64_t refresh_interval = 0;
    std::int64_t channels = 0;
};

/// Throws `Finding` when a value is missing or S26 does not hold with it.
MemoryParameters read_memory_parameters(const KernelCase& kernel, std::int64_t multiprocessors);

} // namespace warpbound::certification::verify
