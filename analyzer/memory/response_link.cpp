#include "analyzer/memory/response_link.hpp"

#include "analyzer/memory/traffic.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

/// The data of each channel arrive with a distance in which a response link transmits one transfer
/// of every channel. So a transaction waits for one of each other channel, and for those that
/// arrive together because their latencies differ. It waits longer only after transactions without
/// a DRAM transfer.
std::optional<ResponseLink> response_link(const LaunchGeometry& shape, const MemoryPath& memory,
                                          const Traffic& traffic) {
    const MemoryParameters& caches = *memory.caches;
    if (!memory.footprint || shape.multiprocessors > 1 || caches.second_sector > caches.sector ||
        caches.dram_latency_lo < caches.second_latency)
        return std::nullopt;
    const models::Cycles distance =
        models::Cycles{caches.row_hit.lo} * memory.footprint->least_of_transfer;
    const models::Cycles services = models::Cycles{caches.link_service.hi} * caches.channels.hi;
    const std::int64_t without_transfer =
        std::min(traffic.requests, memory.footprint->shared_lines);
    if (services > distance || (services == distance && without_transfer > 0)) return std::nullopt;
    const models::Cycles differ = models::Cycles{caches.dram_latency} -
                                  models::Cycles{caches.dram_latency_lo} +
                                  models::Cycles{caches.transit_spread};
    ResponseLink link;
    link.delay = (services - models::Cycles{caches.link_service.hi} + differ).count();
    if (without_transfer == 0) return link;
    const models::Cycles queued = services + models::Cycles{caches.link_service.hi} + differ;
    link.extra_delay =
        (models::Cycles{without_transfer} *
         models::divide_up((queued * distance.count()).count(), (distance - services).count()))
            .count();
    return link;
}

} // namespace warpbound::analyzer
