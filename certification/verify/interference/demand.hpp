#pragma once
/// \file
/// Resource demand of the instructions of a kernel: what a warp takes from resources that it shares
/// (steps S11 and S15 of docs/theory), from listing and description.

#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/interference/launch_geometry.hpp"
#include "models/architecture/instruction_timing.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::certification::verify {

/// The code of a kernel with the timing of each instruction, on both sides of a bound. Kernel and
/// flows must live as long.
struct TimedCode {
    const KernelCase& kernel;
    const ControlFlow& upper_flow;
    const ControlFlow& lower_flow;
    LaunchGeometry geometry;
    std::vector<Result<models::InstructionTiming>> timings; ///< Per instruction.
    /// Per instruction: whether a path from the entry has it, whether or not that path can end.
    std::vector<bool> reachable;
    /// S46, of the lower bound: the paths of threads that represent their warps, and a launch of
    /// their thread blocks alone. Where no facts speak of them: all paths, and the launch.
    const ControlFlow* represented_flow = nullptr;
    LaunchGeometry represented{};
    /// S97: how many lines a thread block that has ended may leave out, as a claim may have it by
    /// the indices of threads. None: as S84 has it.
    std::optional<std::int64_t> left_out_by_index{};
};

/// Whether runs are recorded in which guards were drawn, and did not follow from the code.
bool has_simulated_runs(const KernelCase& kernel);

/// Throws `Finding` when an instruction that can be reached has no timing.
TimedCode timed_code(const KernelCase& kernel, const SideFlows& flows,
                     const LaunchGeometry& geometry);

/// What an instruction adds to a sum, from its timing and its index.
using InstructionDemand =
    std::function<std::int64_t(const models::InstructionTiming&, std::size_t)>;
/// Per instruction; 0 where it cannot be reached.
using DemandTable = std::vector<std::int64_t>;
/// By the id of the certificate that bounds the sum along a path. `Unit:` core cycles.
using DemandTables = std::map<std::string, DemandTable>;

DemandTable demand_table(const TimedCode& code, const InstructionDemand& demand);
/// Sums over the blocks of the side that the certificate is about. Requires: a table of that id.
std::vector<std::int64_t> block_sums(const TimedCode& code, const DemandTables& tables,
                                     const std::string& certificate);
/// Of one instruction. Requires: a table of that id.
std::int64_t largest_demand(const DemandTables& tables, const std::string& certificate);
/// The largest sum over a path of a warp. Side: upper.
std::int64_t largest_path_demand(const TimedCode& code, const InstructionDemand& demand);
/// The smallest sum over a path of a warp; of threads that represent warps, where facts speak of
/// them. Side: lower.
std::int64_t least_path_demand(const TimedCode& code, const InstructionDemand& demand);

/// Demand of S11 (c and c') and S15: issue slots, ports and drains.
DemandTables work_conserving_demand_of(const TimedCode& code);

/// `cycles` for the first pass of an instruction, and the cost of its other passes. Side: upper.
std::int64_t with_passes(std::int64_t cycles, const models::InstructionTiming& timing);
/// For how long an instruction occupies the port of its unit. Side: upper.
std::int64_t port_occupancy(const models::InstructionTiming& timing);
/// The same with so many passes.
std::int64_t port_occupancy(const models::InstructionTiming& timing, std::int64_t passes);
std::int64_t least_port_occupancy(const models::InstructionTiming& timing);
/// Whether the unit's port is one for each warp, or shared by all warps of the multiprocessor.
bool is_port_of_warp(const TimedCode& code, const models::InstructionTiming& timing);
bool is_port_of_multiprocessor(const TimedCode& code, const models::InstructionTiming& timing);
/// For how long an instruction occupies a port that warps share, beyond its issue slot.
std::int64_t occupancy_beyond_slot(const TimedCode& code, const models::InstructionTiming& timing);
/// The longest occupancy of a port that warps share.
std::int64_t longest_port_occupancy(const TimedCode& code);

/// For how long an instruction drains from the write buffer; 0 where it does not enter it. Throws
/// `Finding` when the description lacks the value.
std::int64_t drain_time(const TimedCode& code, const models::InstructionTiming& timing, bool upper);
/// Stores of a warp that enter the write buffer, on any path. Side: upper.
std::int64_t most_stores(const TimedCode& code);
/// Throws `Finding` when the description lacks the value.
models::Interval write_buffer_entries(const TimedCode& code);
/// Whether the write buffer may be full: not all stores of the launch fit.
bool stores_exceed_write_buffer(const TimedCode& code);

} // namespace warpbound::certification::verify
