#pragma once
/// \file
/// How often each warp of a block may execute instructions, by the indices of its threads (S85),
/// and which ways it may take (S97).

#include "analyzer/flow/abstract_execution.hpp"
#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/isa/program.hpp"
#include "models/facts/flow_facts.hpp"
#include "models/launch/launch.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Per warp of a block, in each block of the launch; empty where it is not known, or where the last
/// warp may execute all of the counted instructions as often as any. `counted`: per instruction,
/// whether its executions are sought. `warp_size`: threads of a warp. Side: upper.
/// Where lanes of a warp may diverge at a branch, in how many iterations of the loops around it
/// some lane may execute the instruction: `on_serialized_paths` says how often the warp does.
std::vector<ExecutionCounts>
executions_by_warp(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                   const models::FlowFacts& facts, const models::Launch& launch,
                   std::int64_t warp_size, const std::vector<bool>& counted);

/// Which ways through the code threads of a warp may take.
struct WarpWays {
    AbstractRun of_all;   ///< Of its threads.
    AbstractRun of_first; ///< Of its first thread.
};
/// Per warp of a block, in each block of the launch; empty where it is not known. `warp_size`:
/// threads of a warp. Side: upper. Sound when: guards hold by the code.
std::vector<WarpWays> ways_by_warp(const assembly::Function& function,
                                   const assembly::ControlFlowGraph& graph,
                                   const models::FlowFacts& facts, const models::Launch& launch,
                                   std::int64_t warp_size);

} // namespace warpbound::analyzer
