#pragma once
/// \file
/// For how long loads wait at the servers that they pass in one order: their port, the L1, its link
/// and the slices (docs/soundness.md, S22a, S22d, S22e).

#include "analyzer/bound.hpp"
#include "analyzer/launch/context.hpp"
#include "analyzer/memory/response_link.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Counts of the launch. Side: upper, except where they say `least`. `Unit:` cycles of times.
struct FifoTandem {
    std::int64_t lines = 0;           ///< Line accesses.
    std::int64_t requests = 0;        ///< Of these, the transactions that leave the L1s.
    std::int64_t of_chain = 0;        ///< Loads that the critical chain passes.
    std::int64_t least_lines = 1;     ///< Of a load.
    std::int64_t pass_cost = 0;       ///< Between two lines of a load that arrive.
    std::int64_t occupancy = 0;       ///< Of the port, for a line, where its waits count here.
    std::int64_t arrival = 0;         ///< From the first line of a load to the last one.
    std::int64_t arrival_short = 0;   ///< By how much the loads of the chain have less, in all.
    std::int64_t further_sectors = 0; ///< Of an L1, that line accesses touch beyond their first.
    /// Sectors that hold entries of an L1 at least whenever one is waited for; none: never.
    std::optional<std::int64_t> least_held;
    /// Loads that have places in an entry whenever one is waited for; none: never.
    std::optional<std::int64_t> least_sharers;
    bool queue_fills = true;    ///< The load queue may be full.
    bool link_fills = true;     ///< All places on a link may be taken.
    bool slices_follow = false; ///< Slices handle transactions in the order of the L1.
    /// When a load of the chain is over, so are earlier line accesses at the servers in order.
    bool passes_all = false;
    /// One that is on its way may be gone over to again by a later step.
    bool returns = true;
    std::int64_t way = 0; ///< Of a transaction, from the L1 to the arrival, but for its link back.
    /// Where waits for links back are known beside what these serve (S22e).
    std::optional<ResponseLink> response_link;
    /// Of the time in which accesses that hold up others go on, but for links back.
    std::optional<std::int64_t> limit;
};

/// Terms for their services at L1s, links and slices, for full load queues and links and for full
/// entries of L1s. Side: upper.
std::vector<BoundTerm> waits_in_order(const FifoTandem& loads, const MemoryParameters& caches);

} // namespace warpbound::analyzer
