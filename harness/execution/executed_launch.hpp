#pragma once
/// \file
/// A launch executed on real data, as a recording that the timing simulator replays.

#include "harness/execution/block_store.hpp"
#include "harness/execution/prepared_launch.hpp"
#include "harness/recorded_launch.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace warpbound::harness::execution {

/// All blocks execute when it is made, one after the other in the order of their numbers. Their
/// recordings are kept in memory up to `kept_limit` bytes; the others lie in a temporary file and
/// are read when they become resident.
class ExecutedLaunch final : public RecordedLaunch {
public:
    static constexpr std::size_t default_kept_limit = std::size_t{256} << 20U;
    /// Called with the number of blocks done; returns false to stop.
    using Progress = std::function<bool(std::int64_t)>;

    /// Refuses what `PreparedLaunch` refuses.
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
    [[nodiscard]] const ExecutedCode& code() const { return launch_.code(); }
    /// Instructions issued by all warps.
    [[nodiscard]] std::int64_t instructions() const { return instructions_; }
    [[nodiscard]] const Coverage& coverage() const { return launch_.coverage(); }
    /// With the values that the launch left there.
    [[nodiscard]] const DeviceMemory& memory() const { return launch_.memory(); }
    /// Whether the size of shared memory is known, so that accesses beyond it are refused.
    [[nodiscard]] bool checks_shared_memory() const { return launch_.checks_shared_memory(); }

private:
    ExecutedLaunch(PreparedLaunch launch, std::size_t kept_limit);

    Result<void> run_all(std::int64_t blocks, const Progress& progress);

    PreparedLaunch launch_;
    BlockStore store_;
    std::vector<bool> issued_; ///< Per instruction.
    std::int64_t instructions_ = 0;
};

} // namespace warpbound::harness::execution
