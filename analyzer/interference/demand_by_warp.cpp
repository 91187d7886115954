#include "analyzer/interference/demand_by_warp.hpp"

#include "analyzer/interference/barrier_intervals.hpp"
#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/interference/resource_demand.hpp"
#include "analyzer/path/loop_bounded_paths.hpp"
#include "assembly/isa/branch_guard.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::plus;
using models::times;

constexpr std::int64_t most_limits = 24; ///< Each is a path problem.

/// The largest sum over the paths of a warp that executes each instruction at most so often: those
/// that are counted need not be on the path.
std::int64_t most_of_counted(const TimedKernel& kernel, const InstructionCosts& costs,
                             const ExecutionCounts& counts) {
    InstructionCosts on_path = costs;
    std::int64_t counted = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        if (costs[i] == 0 || counts[i] == uncounted) continue;
        on_path[i] = 0;
        counted = plus(counted, times(counts[i], costs[i]));
    }
    return std::min(most_on_a_path(kernel, costs), plus(counted, most_on_a_path(kernel, on_path)));
}

/// Limits from 0 to that of one interval.
std::vector<IntervalLimit> limits_of(const TimedKernel& kernel, const InstructionCosts& excess) {
    const auto longest = [&](const PathGraph& paths) {
        const auto best =
            LoopBoundedPaths{*kernel.graph, paths, kernel.facts.loops, Side::Upper}.start_to_end();
        return best ? std::max<std::int64_t>(0, best->cost) : 0;
    };
    const std::int64_t most = longest(barrier_interval_paths(kernel, excess));
    std::vector<IntervalLimit> limits{{most, 0}};
    const std::int64_t step = std::max<std::int64_t>(1, (most + most_limits - 1) / most_limits);
    for (std::int64_t limit = 0; limit < most; limit += step)
        limits.push_back({limit, longest(intervals_beyond(kernel, excess, limit))});
    return limits;
}

} // namespace

std::optional<DemandByWarp> demand_by_warp(const TimedKernel& kernel, const ScheduledLaunch& launch,
                                           const InstructionCosts& own_scheduler,
                                           const InstructionCosts& other_schedulers,
                                           const InstructionCosts& drain) {
    if (launch.executions.empty()) return std::nullopt;
    const InstructionCosts queued = queue_demand(kernel, launch.shape);
    if (std::any_of(queued.begin(), queued.end(), [](std::int64_t one) { return one > 0; }))
        return std::nullopt;
    DemandByWarp found;
    found.own = own_scheduler;
    InstructionCosts excess = own_scheduler;
    const InstructionCosts without_port = cost_without_port(kernel, launch.shape);
    for (std::size_t i = 0; i < excess.size(); ++i) {
        excess[i] = std::max<std::int64_t>(0, own_scheduler[i] - other_schedulers[i]);
        if (!assembly::is_guarded(kernel.function->instructions[i])) continue;
        excess[i] = std::max(excess[i], without_port[i]);
        found.own[i] = std::min(own_scheduler[i], without_port[i]);
    }
    BlockDemand& demand = found.demand;
    demand.excess = most_on_a_path(kernel, excess);
    for (const ExecutionCounts& counts : launch.executions) {
        const WarpDemand of_warp{most_of_counted(kernel, other_schedulers, counts),
                                 most_of_counted(kernel, drain, counts)};
        demand.ports = plus(demand.ports, of_warp.ports);
        demand.ports_of_warp = std::max(demand.ports_of_warp, of_warp.ports);
        demand.drain = plus(demand.drain, of_warp.drain);
        demand.warps.push_back(of_warp);
    }
    demand.limits = limits_of(kernel, excess);
    found.excess = std::move(excess);
    return found;
}

} // namespace warpbound::analyzer
