#pragma once
/// \file
/// A launch executed on real data, as a recording that the timing simulator replays.

#include "harness/execution/block_run.hpp"
#include "harness/execution/block_store.hpp"
#include "harness/execution/launch_state.hpp"
#include "harness/recorded_launch.hpp"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace warpbound::harness::execution {

/// What is executed. The referenced objects must outlive the `ExecutedLaunch`.
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

/// All blocks execute when it is made, one after the other in the order of their numbers. Their
/// recordings are kept in memory up to `kept_limit` bytes; the others lie in a temporary file and
/// are read when they become resident.
class ExecutedLaunch final : public RecordedLaunch {
public:
    static constexpr std::size_t default_kept_limit = std::size_t{256} << 20U;
    /// Called with the number of blocks done; returns false to stop.
    using Progress = std::function<bool(std::int64_t)>;

    /// Refuses instructions without semantics, arguments that are not stated, launches without a
    /// shape of their grid, and what `run_block` refuses.
    static Result<std::unique_ptr<ExecutedLaunch>> run(LaunchInputs inputs,
                                                       std::size_t kept_limit = default_kept_limit,
                                                       const Progress& progress = {});

    [[nodiscard]] Result<std::shared_ptr<const RecordedBlock>>
    block(std::int64_t number) const override {
        return store_.block(number);
    }
    [[nodiscard]] bool issues(std::size_t instruction) const override {
        return issued_[instruction];
    }
    /// Instructions issued by all warps.
    [[nodiscard]] std::int64_t instructions() const { return instructions_; }
    [[nodiscard]] const Coverage& coverage() const { return coverage_; }
    /// With the values that the launch left there.
    [[nodiscard]] const DeviceMemory& memory() const { return state_.memory; }
    /// Whether the size of shared memory is known, so that accesses beyond it are refused.
    [[nodiscard]] bool checks_shared_memory() const { return checks_shared_; }

private:
    explicit ExecutedLaunch(std::size_t kept_limit) : store_{kept_limit} {}

    Result<void> prepare(const LaunchInputs& inputs);
    Result<void> run_all(std::int64_t blocks, const Progress& progress);

    ExecutedCode code_;
    LaunchState state_;
    BlockStore store_;
    Coverage coverage_;
    std::vector<bool> issued_; ///< Per instruction.
    std::int64_t instructions_ = 0;
    bool checks_shared_ = true;
};

} // namespace warpbound::harness::execution
