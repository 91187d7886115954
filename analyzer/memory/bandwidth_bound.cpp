#include "analyzer/memory/bandwidth_bound.hpp"

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/memory/service_times.hpp"
#include "models/formulas/whole_numbers.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// Least number of line accesses by the loads of a warp.
std::int64_t least_line_accesses(const TimedKernel& kernel) {
    const InstructionCosts costs =
        per_instruction(kernel, [&](std::size_t i, const models::InstructionTiming& timing) {
            const bool counts =
                is_cached_load(timing) && !assembly::is_guarded(kernel.function->instructions[i]);
            return counts ? timing.passes.lo : 0;
        });
    return least_on_a_path(kernel, costs);
}

} // namespace

std::vector<std::vector<BoundTerm>>
bandwidth_bounds(const TimedKernel& kernel, const LaunchGeometry& shape, const MemoryPath& memory) {
    const MemoryParameters& caches = *memory.caches;
    std::vector<std::vector<BoundTerm>> bounds;
    const auto add = [&](const char* what, std::int64_t count, std::int64_t cycles,
                         const char* last, std::int64_t after) {
        if (count > 0) bounds.push_back({{what, count, cycles}, {last, 1, after}});
    };
    const std::int64_t accesses =
        models::times(least_line_accesses(kernel), shape.share() * shape.warps_per_block);
    add("services of an L1, one line access after another", accesses - 1,
        caches.first_level_service.lo, "the last access of the L1",
        std::min(caches.first_level_latency_lo, caches.round_trip_lo));
    if (!memory.footprint) return bounds;
    const Footprint& footprint = *memory.footprint;
    // The last transfer still travels from the channel to the L1 after its start, and the first
    // request travelled to the channel before.
    add("sectors that a channel transfers to the L2, before the last transfer",
        footprint.least_sectors - footprint.most_second_sectors, caches.row_hit.lo,
        "the last transfer",
        std::max<std::int64_t>(0,
                               caches.dram_latency_lo - (caches.transit.hi - caches.transit.lo)));
    // A store has completed when it is in the queue of the link, even if its transmission has not
    // started; a load when its data have returned.
    const std::int64_t loads = footprint.least_load_transactions;
    const std::int64_t stores = footprint.least_store_transactions;
    add("transactions that leave one multiprocessor, one after another",
        models::divide_up(loads + stores, shape.multiprocessors) - 1 -
            (stores == 0 ? 0 : caches.link_queue),
        caches.link_service.lo, "the last transaction", stores == 0 ? caches.round_trip_lo : 0);
    add("transactions of loads that a slice serves, one after another",
        models::divide_up(loads, caches.slices.hi) - 1, caches.slice_service.lo,
        "the last transaction",
        std::max<std::int64_t>(0, caches.round_trip_lo - (caches.transit.hi - caches.transit.lo)));
    return bounds;
}

} // namespace warpbound::analyzer
