#include "certification/verify/memory/bandwidth.hpp"

#include "assembly/isa/target.hpp"
#include "certification/verify/memory/service_times.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <array>

namespace warpbound::certification::verify {

namespace {

using models::plus;
using models::times;

/// Servers of one kind that share what every run sends to them. Of this some server serves its
/// share, one by one. Side: lower.
struct Servers {
    std::int64_t served = 0;    ///< By all of them.
    std::int64_t number = 1;    ///< Side: upper.
    std::int64_t uncounted = 1; ///< Of the share: the last one, and what need not be served.
    std::int64_t apart = 0;     ///< Cycles between the starts of two services.
    std::int64_t rest = 0;      ///< From the start of the last one to the end of the launch.

    [[nodiscard]] std::int64_t counted() const {
        const std::int64_t share = served / number + (served % number > 0 ? 1 : 0);
        return share - uncounted;
    }
};

/// S21: line accesses of the loads that no guard keeps from their execution.
std::int64_t lines_in_every_run(const TimedCode& code) {
    const auto& instructions = code.kernel.function->instructions;
    // Some L1 has its share of the blocks.
    const LaunchGeometry& launch = code.represented;
    const std::int64_t warps = times(launch.warps_per_block, plus(launch.blocks_before_last(), 1));
    return times(
        warps, least_path_demand(code, [&](const models::InstructionTiming& timing, std::size_t i) {
            return assembly::is_guarded(instructions[i]) || !is_load_through_caches(timing)
                       ? std::int64_t{0}
                       : timing.passes.lo;
        }));
}

} // namespace

std::vector<std::vector<Term>> bandwidth_sums(const TimedCode& code, const MemoryLayout& layout,
                                              const Footprint& footprint) {
    const std::int64_t unloaded = std::min(layout.dram_latency.lo, layout.l2_latency.lo);
    // What the first transaction may have needed longer to come than the last one needs to leave.
    const std::int64_t transits = layout.transit.hi - layout.transit.lo;
    const std::int64_t loads = footprint.least_requests;
    const std::int64_t stores = footprint.least_stores;
    // A store is over when it is in the queue of the link.
    const std::int64_t in_queue = stores > 0 ? layout.link_queue : 0;
    const auto all = std::to_array<Servers>({
        {.served = lines_in_every_run(code),
         .apart = layout.l1_service_lo,
         .rest = std::min(unloaded, layout.l1_latency.lo)},
        {.served = footprint.least_of_channel,
         .uncounted = footprint.most_l2_sectors,
         .apart = layout.row_hit.lo,
         .rest = layout.dram_latency.lo - transits},
        {.served = plus(stores, loads),
         .number = code.represented.multiprocessors,
         .uncounted = plus(in_queue, 1),
         .apart = layout.link_service.lo,
         .rest = stores > 0 ? 0 : unloaded},
        {.served = loads,
         .number = layout.slices.hi,
         .apart = layout.slice_service_lo,
         .rest = unloaded - transits},
    });
    std::vector<std::vector<Term>> sums;
    for (const Servers& servers : all)
        if (servers.counted() > 0)
            sums.push_back({{servers.counted(), servers.apart, ""},
                            {1, std::max<std::int64_t>(servers.rest, 0), ""}});
    return sums;
}

} // namespace warpbound::certification::verify
