#pragma once
/// \file
/// A launch of which any block can be executed on real data.

#include "harness/execution/block_run.hpp"
#include "harness/execution/launch_state.hpp"
#include "harness/recorded_launch.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace warpbound::harness::execution {

/// What is executed. The referenced objects must outlive what is prepared of it.
struct LaunchInputs {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    models::Launch launch;
    DeviceMemory memory; ///< At the addresses that arguments state.
    std::map<std::int64_t, std::vector<std::byte>> constants{}; ///< By bank; not bank 0.
    std::int64_t instruction_limit = default_instruction_limit; ///< Of a warp.
    IssueListener* listener = nullptr; ///< Receives every issue; null: none.

    static constexpr std::int64_t default_instruction_limit = 100'000'000;
};

class PreparedLaunch {
public:
    /// Refuses instructions without semantics, and arguments and constants that the code reads and
    /// nobody states.
    static Result<PreparedLaunch> make(LaunchInputs inputs);

    /// Executes the block with that number on what the blocks before it left in memory. Refuses
    /// what `run_block` refuses; memory then holds what was written up to there.
    Result<RecordedBlock> run(std::int64_t number);

    [[nodiscard]] Extents index_of(std::int64_t number) const { return state_.index_of(number); }
    [[nodiscard]] const ExecutedCode& code() const { return code_; }
    /// Of all blocks that were run.
    [[nodiscard]] const Coverage& coverage() const { return coverage_; }
    [[nodiscard]] const DeviceMemory& memory() const { return state_.memory; }
    /// Whether the size of shared memory is known, so that accesses beyond it are refused.
    [[nodiscard]] bool checks_shared_memory() const { return checks_shared_; }

private:
    PreparedLaunch() = default;

    ExecutedCode code_;
    LaunchState state_;
    Coverage coverage_;
    bool checks_shared_ = true;
};

} // namespace warpbound::harness::execution
