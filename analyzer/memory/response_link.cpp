#include "analyzer/memory/response_link.hpp"

#include "analyzer/launch/context.hpp"
#include "analyzer/memory/traffic.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

/// Data come from each channel so far apart that a link back has sent them before the next ones
/// come. One waits for one of each other channel, and for what ways that differ bring together;
/// longer only while transactions come that DRAM brings nothing for.
std::optional<ResponseLink> response_link(const AnalysisContext& context, const Traffic& traffic) {
    const MemoryParameters& caches = *context.caches;
    if (!context.footprint || context.shape.multiprocessors > 1 ||
        caches.second_sector > caches.sector || caches.dram_latency_lo < caches.second_latency)
        return std::nullopt;
    const models::Cycles apart =
        models::Cycles{caches.row_hit.lo} * context.footprint->least_of_transfer;
    const models::Cycles services = models::Cycles{caches.link_service.hi} * caches.channels.hi;
    const std::int64_t nothing_brought =
        std::min(traffic.requests, context.footprint->shared_lines);
    if (services > apart || (services == apart && nothing_brought > 0)) return std::nullopt;
    const models::Cycles differ = models::Cycles{caches.dram_latency} -
                                  models::Cycles{caches.dram_latency_lo} +
                                  models::Cycles{caches.transit_spread};
    ResponseLink waits;
    waits.wait = (services - models::Cycles{caches.link_service.hi} + differ).count();
    if (nothing_brought == 0) return waits;
    const models::Cycles queued = services + models::Cycles{caches.link_service.hi} + differ;
    waits.busier = (models::Cycles{nothing_brought} *
                    models::divide_up((queued * apart.count()).count(), (apart - services).count()))
                       .count();
    return waits;
}

} // namespace warpbound::analyzer
