#pragma once
/// \file
/// What the instructions of a warp cost those that share its multiprocessor, summed along its
/// paths.

#include "analyzer/launch/path_bound.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Per instruction of the function. `Unit:` core cycles.
using InstructionCosts = std::vector<std::int64_t>;
/// `cost(index, timing)` of each instruction that is on a path; of the others 0.
template <class Cost> InstructionCosts per_instruction(const AnalysisContext& context, Cost cost) {
    InstructionCosts costs(context.timings.size(), 0);
    for (std::size_t i = 0; i < costs.size(); ++i)
        if (context.used[i] && context.timings[i]) costs[i] = cost(i, context.timings[i].value());
    return costs;
}

/// For how long an instruction keeps a warp of the same scheduler from issuing that may issue
/// otherwise: its issue slot and its port. Side: upper.
InstructionCosts cost_to_same_scheduler(const AnalysisContext& context);
/// The same for a warp of another scheduler: ports of the multiprocessor. Side: upper.
InstructionCosts cost_to_other_schedulers(const AnalysisContext& context);
/// Occupancy of a port that several warps share; 0 for ports of a warp. Side: upper.
InstructionCosts port_times(const AnalysisContext& context);
/// Whether the instruction's port is the multiprocessor's. Requires: it is on a path.
bool is_shared_by_all(const AnalysisContext& context, std::size_t instruction);
/// Whether the instruction is on a path and can enter the write buffer.
bool enters_write_buffer(const AnalysisContext& context, std::size_t instruction);
/// Time at the exit of the write buffer.
InstructionCosts drain_costs(const AnalysisContext& context, Side side);
/// Occupancy of one unit's port. Side: lower.
InstructionCosts port_costs(const AnalysisContext& context, std::size_t unit);
/// Issue slots of the scheduler that an instruction needs. Side: lower.
InstructionCosts issue_slot_costs(const AnalysisContext& context);

/// Sums per block of the graph.
std::vector<std::int64_t> block_costs(const AnalysisContext& context,
                                      const InstructionCosts& costs);

/// The path problem of such sums.
PathGraph sum_graph(const AnalysisContext& context, const std::vector<std::int64_t>& costs,
                    Side side);
/// The largest (smallest) sum of block costs over the paths that loop bounds allow; at least 0.
/// Side: as asked.
std::int64_t extreme_sum(const AnalysisContext& context, const std::vector<std::int64_t>& costs,
                         Side side);
/// The same of what instructions cost, from above and from below.
std::int64_t most_on_a_path(const AnalysisContext& context, const InstructionCosts& costs);
std::int64_t least_on_a_path(const AnalysisContext& context, const InstructionCosts& costs);

/// The same paths, each cheaper by the costs of the blocks it visits.
PathGraph without_resource_demand(PathGraph paths, const std::vector<std::int64_t>& costs);

} // namespace warpbound::analyzer
