#pragma once
/// \file
/// What a launch sends through the caches, and how much of it at a time (docs/soundness.md, S21 and
/// S22).

#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/memory/service_times.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Side: upper.
struct Traffic {
    std::int64_t lines = 0;               ///< Line accesses of loads.
    std::int64_t stores = 0;              ///< Line accesses of stores.
    std::int64_t requests = 0;            ///< Transactions of loads.
    std::int64_t loads = 0;               ///< Executions of load instructions.
    std::int64_t loads_of_chain = 0;      ///< Those that the critical chain passes.
    std::int64_t outstanding_loads = 0;   ///< Together.
    std::int64_t outstanding_lines = 0;   ///< Together.
    std::int64_t transfers = 0;           ///< Of DRAM for loads.
    std::int64_t sectors_of_transfer = 0; ///< Of the L2.
    std::int64_t sectors = 0;             ///< Of all these transfers.
    std::int64_t writes = 0;              ///< Transfers of DRAM for stores.
};

/// Requires: `context.caches`.
Traffic traffic_of(const AnalysisContext& context);

/// `each(index, timing)` of the loads through the caches.
template <class Each> void for_each_load(const AnalysisContext& context, Each each) {
    for (std::size_t i = 0; i < context.timings.size(); ++i)
        if (context.used[i] && context.timings[i] && is_cached_load(context.timings[i].value()))
            each(i, context.timings[i].value());
}
/// The largest sum of `cost(timing)` along a path of a warp.
template <class Cost> std::int64_t most_of_warp(const AnalysisContext& context, Cost cost) {
    return most_on_a_path(
        context,
        per_instruction(context, [&](std::size_t, const models::InstructionTiming& timing) {
            return cost(timing);
        }));
}
/// The same for all warps of the launch.
template <class Cost> std::int64_t most_of_launch(const AnalysisContext& context, Cost cost) {
    return models::times(most_of_warp(context, cost), context.shape.warps());
}
/// The same for the instructions that the critical chain passes.
template <class Cost> std::int64_t most_of_chain(const AnalysisContext& context, Cost cost) {
    return models::times(most_of_warp(context, cost), context.shape.waves());
}

} // namespace warpbound::analyzer
