#pragma once
/// \file
/// Executes the warps of one block on real data.

#include "harness/execution/operation.hpp"
#include "harness/execution/step.hpp"
#include "harness/execution/warp_walk.hpp"
#include "harness/recorded_launch.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::harness::execution {

/// The code that is executed. The objects that it refers to must outlive it.
struct ExecutedCode {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    std::vector<Operation> operations;
    simulator::ReconvergencePoints points;
    std::int64_t instruction_limit = 0; ///< Of a warp; beyond it the run counts as endless.
};

/// How often blocks and edges of the control-flow graph were entered by some lane.
struct Coverage {
    std::vector<std::int64_t> blocks;
    std::vector<std::int64_t> edges;
};

/// The recording of the block with that number. Its warps execute one after the other, lowest
/// first, each up to its next barrier or for a limited number of instructions. Refuses accesses
/// outside of buffers, reads of unknown constants, threads that wait for each other, barriers that
/// only some lanes of a warp reach, traps and endless runs: with instruction, block, warp and lane.
Result<RecordedBlock> run_block(const ExecutedCode& code, LaunchState& launch, std::int64_t number,
                                Coverage& coverage);

} // namespace warpbound::harness::execution
