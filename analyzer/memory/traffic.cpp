#include "analyzer/memory/traffic.hpp"

#include "analyzer/memory/outstanding_loads.hpp"

#include <algorithm>
#include <optional>

namespace warpbound::analyzer {

namespace {

using Timing = models::InstructionTiming;

/// Of the whole launch, when so much of a warp can be under way.
std::int64_t together(const Problem& problem, std::optional<std::int64_t> of_warp,
                      std::int64_t all) {
    return of_warp ? std::min(all, models::times(*of_warp, problem.shape.warps())) : all;
}

void count_transfers(const Problem& problem, Traffic& traffic) {
    const CacheValues& caches = *problem.caches;
    traffic.transfers = traffic.requests;
    traffic.writes = traffic.stores;
    traffic.sectors_of_transfer =
        static_cast<std::int64_t>(std::max<std::uint64_t>(1, caches.line / caches.second_sector));
    if (!problem.touched) {
        traffic.sectors = models::times(traffic.transfers, traffic.sectors_of_transfer);
        return;
    }
    const Touched& touched = *problem.touched;
    if (touched.fetched)
        traffic.transfers = std::min(traffic.transfers, touched.fetched->transfers);
    traffic.sectors_of_transfer = touched.most_second_sectors;
    traffic.sectors = std::min(models::times(traffic.transfers, traffic.sectors_of_transfer),
                               touched.second_sectors);
    if (touched.fetched) traffic.sectors = std::min(traffic.sectors, touched.fetched->sectors);
    if (touched.written_back)
        traffic.writes = std::min(traffic.writes, touched.written_back->transfers);
}

} // namespace

Traffic traffic_of(const Problem& problem) {
    const auto is_load = [](const Timing& timing) { return is_cached_load(timing) ? 1 : 0; };
    Traffic traffic;
    traffic.loads = most_of_launch(problem, is_load);
    traffic.loads_of_chain = most_of_chain(problem, is_load);
    traffic.lines = most_of_launch(problem, [](const Timing& timing) {
        return is_cached_load(timing) ? timing.passes.hi : 0;
    });
    if (problem.touched) traffic.lines = std::min(traffic.lines, problem.touched->load_lines);
    traffic.stores = most_of_launch(problem, [](const Timing& timing) {
        return is_cached_store(timing) ? timing.passes.hi : 0;
    });
    traffic.requests = traffic.lines;
    if (problem.touched && problem.touched->transactions)
        traffic.requests = std::min(traffic.requests, models::times(*problem.touched->transactions,
                                                                    problem.shape.multiprocessors));
    traffic.loads_under_way = together(problem, loads_under_way(problem), traffic.loads);
    traffic.lines_under_way = together(problem, lines_under_way(problem), traffic.lines);
    count_transfers(problem, traffic);
    return traffic;
}

} // namespace warpbound::analyzer
