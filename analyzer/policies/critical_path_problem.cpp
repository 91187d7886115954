#include "analyzer/policies/critical_path_problem.hpp"

#include "analyzer/interference/critical_path.hpp"
#include "analyzer/interference/resource_demand.hpp"

#include <algorithm>
#include <utility>

namespace warpbound::analyzer {

InstructionCosts own_demand(const TimedKernel& kernel, const LaunchGeometry& shape,
                            const Demand& demand) {
    InstructionCosts own = demand.own_scheduler;
    const InstructionCosts reads = delay_by_own_instructions(kernel, shape);
    for (std::size_t i = 0; i < own.size(); ++i)
        own[i] = (models::Cycles{own[i]} - models::Cycles{demand.turns} - models::Cycles{reads[i]})
                     .count();
    return own;
}

PathGraph less_own_demand(const TimedKernel& kernel, const LaunchGeometry& shape,
                          const Demand& demand, PathGraph paths) {
    return without_resource_demand(std::move(paths),
                                   block_costs(*kernel.graph, own_demand(kernel, shape, demand)));
}

std::int64_t largest(const InstructionCosts& costs) {
    return costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
}

} // namespace warpbound::analyzer
