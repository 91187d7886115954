#pragma once
/// \file
/// Traffic of a launch through the caches, in total and outstanding at a time (docs/theory,
/// S21 and S22).

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/launch/memory_path.hpp"
#include "analyzer/memory/service_times.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Side: upper.
struct Traffic {
    std::int64_t lines = 0;                  ///< Line accesses of loads.
    std::int64_t stores = 0;                 ///< Line accesses of stores.
    std::int64_t requests = 0;               ///< Transactions of loads.
    std::int64_t loads = 0;                  ///< Executions of load instructions.
    std::int64_t loads_on_critical_path = 0; ///< Executions on the critical path.
    std::int64_t outstanding_loads = 0;      ///< Outstanding together.
    std::int64_t outstanding_lines = 0;      ///< Outstanding together.
    std::int64_t transfers = 0;              ///< DRAM transfers for loads.
    std::int64_t sectors_of_transfer = 0;    ///< Sectors of the L2 in one transfer.
    std::int64_t sectors = 0;                ///< Sectors of all these transfers.
    std::int64_t writes = 0;                 ///< DRAM transfers for stores.
};

/// Requires: `memory.caches`.
Traffic traffic_of(const TimedKernel& kernel, const LaunchGeometry& shape,
                   const MemoryPath& memory);

/// Calls `each(index, timing)` for the loads through the caches.
template <class Each> void for_each_load(const TimedKernel& kernel, Each each) {
    for (std::size_t i = 0; i < kernel.timings.size(); ++i)
        if (kernel.used[i] && kernel.timings[i] && is_cached_load(kernel.timings[i].value()))
            each(i, kernel.timings[i].value());
}
/// The largest sum of `cost(timing)` along a path of a warp.
template <class Cost> std::int64_t most_of_warp(const TimedKernel& kernel, Cost cost) {
    return most_on_a_path(
        kernel, per_instruction(kernel, [&](std::size_t, const models::InstructionTiming& timing) {
            return cost(timing);
        }));
}
/// The same for all warps of the launch.
template <class Cost>
std::int64_t most_of_launch(const TimedKernel& kernel, const LaunchGeometry& shape, Cost cost) {
    return models::times(most_of_warp(kernel, cost), shape.warps());
}
/// The same for the instructions on the critical path.
template <class Cost>
std::int64_t most_on_critical_path(const TimedKernel& kernel, const LaunchGeometry& shape,
                                   Cost cost) {
    return models::times(most_of_warp(kernel, cost), shape.waves());
}

} // namespace warpbound::analyzer
