#pragma once
/// \file
/// Queueing delay of loads at a tandem of first-in-first-out servers: their port, the L1, its link
/// and the slices (docs/theory, S22a, S22d, S22e, S57, S58).

#include "analyzer/bound.hpp"
#include "analyzer/launch/memory_parameters.hpp"
#include "analyzer/memory/response_link.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Parameters of the tandem, over the launch. Side: upper, except `least_..`. `Unit:` core cycles
/// for times.
struct FifoTandem {
    std::int64_t lines = 0;    ///< Line accesses.
    std::int64_t requests = 0; ///< Line accesses that miss: transactions that leave the L1s.
    std::int64_t on_critical_path = 0; ///< Loads on the critical path.
    std::int64_t least_lines = 1;      ///< Least number of lines of a load.
    std::int64_t pass_cost = 0;        ///< Time between the arrivals of two lines of a load.
    std::int64_t occupancy = 0; ///< Port occupancy of a line, if the tandem contains the port.
    std::int64_t arrival = 0; ///< From the arrival of the first line of a load to that of the last.
    std::int64_t arrival_short =
        0; ///< Sum over the loads on the critical path of `arrival` minus their own.
    std::int64_t further_sectors =
        0; ///< Sectors of an L1 that line accesses touch beyond their first.
    /// Least number of sectors in MSHR entries of an L1 whenever an access waits for an entry;
    /// none: no access waits.
    std::optional<std::int64_t> least_sectors_in_mshr;
    /// Least number of loads merged in an MSHR entry whenever an access waits to merge; none: no
    /// access waits.
    std::optional<std::int64_t> least_merged_loads;
    /// Most waits to merge, of one trace (S58); none: not known.
    std::optional<std::int64_t> most_merge_waits;
    bool queue_fills = true;         ///< The load queue may be full.
    bool link_fills = true;          ///< The queue of a link may be full.
    bool slices_in_l1_order = false; ///< Slices serve transactions in the order of the L1.
    /// When a load of the critical path completes, all earlier line accesses have left the servers.
    bool completes_in_order = false;
    /// The critical path may reach the same outstanding access again in a later step.
    bool revisits = true;
    /// One trace explains the launch: no line access is traversed twice (S57).
    bool single_trace = false;
    /// Least latency that the bound without queueing has for each load on the critical path.
    std::int64_t unloaded = 0;
    /// Latency of a transaction, from the L1 to the arrival of its data, without the response link.
    std::int64_t latency = 0;
    /// Queueing delay of response links, if it is bounded separately (S22e).
    std::optional<ResponseLink> response_link;
    /// Bound of the time in which blocking accesses are outstanding, without response links.
    std::optional<std::int64_t> limit;
};

/// Terms for services at L1s, links and slices, and for full load queues, links and MSHRs of L1s.
/// Side: upper.
std::vector<BoundTerm> tandem_delay(const FifoTandem& loads, const MemoryParameters& caches);

} // namespace warpbound::analyzer
