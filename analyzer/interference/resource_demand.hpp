#pragma once
/// \file
/// The demand of a warp for shared resources (issue slots, ports, write buffer): per instruction,
/// and its sum along the paths of the warp.

#include "analyzer/interference/instruction_costs.hpp"
#include "analyzer/launch/path_bound.hpp"
#include "analyzer/launch/scheduled_launch.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Demand on the own scheduler: for how long an instruction blocks a ready warp of the same
/// scheduler, by its issue slot, its port and its register reads. Side: upper.
InstructionCosts cost_to_same_scheduler(const TimedKernel& kernel, const LaunchGeometry& shape);
/// The same of an instruction whose guard fails: it holds no port (C12).
InstructionCosts cost_without_port(const TimedKernel& kernel, const LaunchGeometry& shape);
/// Demand on other schedulers: for how long it blocks a ready warp of another scheduler, by a port
/// of the multiprocessor. Side: upper.
InstructionCosts cost_to_other_schedulers(const TimedKernel& kernel);
/// For how long the register reads of an instruction, and its place in the memory queue, delay its
/// own warp when others use its scheduler (docs/theory, S33, S38). Side: upper.
InstructionCosts delay_by_own_instructions(const TimedKernel& kernel, const LaunchGeometry& shape);
/// Distance of grants that an instruction needs: for its reads, and for the latch of its unit,
/// which carries a lag on (docs/theory, S33). All 0 when no grant lags. Side: upper.
InstructionCosts grant_distances(const TimedKernel& kernel, const LaunchGeometry& shape);
/// By how much grants lag, at most, when the critical path changes to another warp. Side: upper.
std::int64_t longest_read_lag(const TimedKernel& kernel, const LaunchGeometry& shape);
/// Registers that an instruction reads from a bank. Side: lower.
InstructionCosts read_costs(const TimedKernel& kernel, std::size_t bank);
/// Occupancy of a port that several warps share; 0 for a port that each warp has. Side: upper.
InstructionCosts port_times(const TimedKernel& kernel);
/// Whether all schedulers share the instruction's port. Requires: the instruction is on a path.
bool is_shared_by_all(const TimedKernel& kernel, std::size_t instruction);
/// Whether the instruction is on a path and can enter the write buffer.
bool enters_write_buffer(const TimedKernel& kernel, std::size_t instruction);
/// Drain time of the write buffer.
InstructionCosts drain_costs(const TimedKernel& kernel, Side side);
/// Occupancy of the port of one unit. Side: lower.
InstructionCosts port_costs(const TimedKernel& kernel, std::size_t unit);
/// Issue slot that an instruction takes from its scheduler. Side: lower.
InstructionCosts issue_slot_costs(const TimedKernel& kernel, const LaunchGeometry& shape);

/// Sum of the costs of each basic block.
PerBlock<std::int64_t> block_costs(const assembly::ControlFlowGraph& graph,
                                   const InstructionCosts& costs);

/// The path problem whose path costs are sums of block costs.
PathGraph sum_graph(const TimedKernel& kernel, const PerBlock<std::int64_t>& costs, Side side);
/// The largest (lower side: smallest) sum of block costs over the paths that the loop bounds allow;
/// at least 0. Side: `side`.
std::int64_t extreme_sum(const TimedKernel& kernel, const PerBlock<std::int64_t>& costs, Side side);
/// The same for costs of instructions: the largest and the smallest sum.
std::int64_t most_on_a_path(const TimedKernel& kernel, const InstructionCosts& costs);
std::int64_t least_on_a_path(const TimedKernel& kernel, const InstructionCosts& costs);

/// The same paths; each cost is reduced by the costs of the blocks that the path visits.
PathGraph without_resource_demand(PathGraph paths, const PerBlock<std::int64_t>& costs);

} // namespace warpbound::analyzer
