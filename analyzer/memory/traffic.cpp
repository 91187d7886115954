#include "analyzer/memory/traffic.hpp"

#include "analyzer/memory/outstanding_loads.hpp"

#include <algorithm>
#include <optional>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

/// Outstanding in the launch, if `of_warp` can be outstanding in a warp.
std::int64_t outstanding_in_launch(const LaunchGeometry& shape, std::optional<std::int64_t> of_warp,
                                   std::int64_t all) {
    return of_warp ? std::min(all, models::times(*of_warp, shape.warps())) : all;
}

void count_transfers(const MemoryPath& memory, Traffic& traffic) {
    const MemoryParameters& caches = *memory.caches;
    traffic.transfers = traffic.requests;
    traffic.writes = traffic.stores;
    traffic.sectors_of_transfer =
        static_cast<std::int64_t>(std::max<std::uint64_t>(1, caches.line / caches.second_sector));
    if (!memory.footprint) {
        traffic.sectors = models::times(traffic.transfers, traffic.sectors_of_transfer);
        return;
    }
    const Footprint& footprint = *memory.footprint;
    if (footprint.fetched)
        traffic.transfers = std::min(traffic.transfers, footprint.fetched->transfers);
    traffic.sectors_of_transfer = footprint.most_second_sectors;
    traffic.sectors = std::min(models::times(traffic.transfers, traffic.sectors_of_transfer),
                               footprint.second_sectors);
    if (footprint.fetched) traffic.sectors = std::min(traffic.sectors, footprint.fetched->sectors);
    if (footprint.writebacks)
        traffic.writes = std::min(traffic.writes, footprint.writebacks->transfers);
}

} // namespace

Traffic traffic_of(const TimedKernel& kernel, const LaunchGeometry& shape,
                   const MemoryPath& memory) {
    const auto is_load = [](const Timing& timing) { return is_cached_load(timing) ? 1 : 0; };
    Traffic traffic;
    traffic.loads = most_of_launch(kernel, shape, is_load);
    traffic.loads_on_critical_path = most_on_critical_path(kernel, shape, is_load);
    traffic.lines = most_of_launch(kernel, shape, [](const Timing& timing) {
        return is_cached_load(timing) ? timing.passes.hi : 0;
    });
    if (memory.footprint) traffic.lines = std::min(traffic.lines, memory.footprint->load_lines);
    traffic.stores = most_of_launch(kernel, shape, [](const Timing& timing) {
        return is_cached_store(timing) ? timing.passes.hi : 0;
    });
    traffic.requests = traffic.lines;
    if (memory.footprint && memory.footprint->transactions)
        traffic.requests = std::min(traffic.requests, models::times(*memory.footprint->transactions,
                                                                    shape.multiprocessors));
    traffic.outstanding_loads =
        outstanding_in_launch(shape, outstanding_loads(kernel), traffic.loads);
    traffic.outstanding_lines =
        outstanding_in_launch(shape, outstanding_lines(kernel), traffic.lines);
    count_transfers(memory, traffic);
    return traffic;
}

} // namespace warpbound::analyzer
