#pragma once
/// \file
/// The events of a workload's run by operation, launch and block.

#include "tests/support/event_checker/recorded_launch.hpp"
#include "tests/support/event_checker/recorded_workload.hpp"

#include <deque>
#include <memory>

namespace warpbound::tests {

/// The cycles of the steps of an operation.
struct OperationRecord {
    std::int64_t issued = 0;
    std::int64_t queued = 0;
    std::int64_t started = 0;
    std::int64_t dispatched = 0;
    std::int64_t ended = 0;
    std::int64_t left = 0;
    std::optional<std::int64_t> drained; ///< For a launch: the drain of its last store.
};

struct BlockRecord {
    int multiprocessor = 0;
    std::int64_t placed = 0;
    std::int64_t start = 0;
    std::int64_t end = 0;
    std::vector<std::int64_t> warp_slots; ///< On the SM, in the order of its warps.
};

struct LaunchRecord {
    std::size_t operation = 0;
    std::vector<BlockRecord> blocks;
    RecordedRun run; ///< Its own events, warps numbered from 0 on.
    std::unique_ptr<RecordedLaunch> recorded;

    [[nodiscard]] std::int64_t first_placed() const { return blocks.front().placed; }
    [[nodiscard]] std::int64_t last_placed() const { return blocks.back().placed; }
};

struct WorkloadRecord {
    WorkloadRecord(const harness::Workload& workload, const models::Architecture& machine,
                   const models::WarpPolicy& policy, const RecordedWorkload& run);

    /// False when the events cannot be assigned; the reason is reported.
    bool collect();
    void report(std::string text);
    /// Checks that the first of two operations entered the queue before the second: in an earlier
    /// cycle, or in the same cycle and, if the host issued both in it, earlier in the list (C33).
    void check_fifo(std::string_view rule, std::size_t first, std::size_t second);

    [[nodiscard]] const harness::Kernel& kernel_of(std::size_t launch) const {
        return workload.kernels[workload.operations[launches[launch].operation].kernel];
    }

    const harness::Workload& workload;
    const models::Architecture& machine;
    const models::WarpPolicy& policy;
    const RecordedWorkload& run;
    std::vector<OperationRecord> steps; ///< By operation.
    std::deque<LaunchRecord> launches;
    std::int64_t blocks = 0; ///< Of all launches.
    bool has_caches = false;
    std::vector<std::string> found;

private:
    bool collect_steps();
    void split();
    bool collect_blocks(LaunchRecord& launch);
};

} // namespace warpbound::tests
