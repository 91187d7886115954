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

/// An instruction that a warp issues.
struct WarpIssue {
    std::int64_t warp = 0;            ///< Index in the block.
    std::size_t instruction = 0;      ///< Index into the function.
    Lanes lanes = 0;                  ///< For which the guard holds.
    const Wides* addresses = nullptr; ///< Of an access that executes; else null.
};

/// Receives the instructions of all warps; those of one block before those of the next.
class IssueListener {
public:
    virtual ~IssueListener() = default;
    /// Called first. The function outlives the execution.
    virtual Result<void> begun(const assembly::Function& function,
                               const models::Launch& launch) = 0;
    virtual void issued(const WarpIssue& issue) = 0;
    virtual Result<void> block_ended(const Extents& index) = 0;
};

/// The code that is executed. The objects that it refers to must outlive it.
struct ExecutedCode {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    std::vector<Operation> operations;
    simulator::ReconvergencePoints points;
    std::int64_t instruction_limit = 0; ///< Of a warp; beyond it the run counts as endless.
    IssueListener* listener = nullptr;  ///< Null: none.
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
