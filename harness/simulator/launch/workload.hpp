#pragma once
/// \file
/// A workload translated for the simulated machine: everything that is equal in all runs.

#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/launch/messages.hpp"
#include "harness/workload.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// An operation of the host (C32). `Unit:` core cycles.
struct HostStep {
    models::HostOperationKind kind = models::HostOperationKind::Launch;
    std::optional<std::size_t> stream{}; ///< None: the NULL stream.
    std::int64_t at = 0;                 ///< The earliest cycle in which it issues.
    Range cost;                          ///< Launch cost, or duration of the copy.
    std::size_t engine = 0;              ///< For a copy.
    std::size_t launch = 0;              ///< For a launch: its number in the run.

    [[nodiscard]] bool is_launch() const { return kind == models::HostOperationKind::Launch; }
};

/// Everything that a run executes. The codes to which grids point must outlive it.
struct RunPlan {
    MachineShape machine;
    std::vector<Grid> grids; ///< One per launch.
    std::vector<HostStep> steps;
    Range call; ///< Duration of a call of the host, between two steps.
    /// Why blocks cannot wait for free resources; none where `machine` has the replacement time.
    std::optional<Failure> no_replacement{};
};

/// A single kernel: one launch of cost 0.
RunPlan plan_of(const KernelCode& code);

struct WorkloadCode {
    std::deque<KernelCode> kernels;
    RunPlan plan;
};

/// The launch cost that the user states where the description has none.
using StatedLaunchCost = std::optional<Range>;

/// For a machine of `multiprocessors` SMs. Refuses kernels that `translate` refuses, a workload
/// that has kernels and launches none, a workload without operations, and values that the
/// operations need and the description lacks: the launch cost unless it is stated, start-up time
/// and bandwidth of a copy's direction, the copy engines where copies run in both directions, the
/// core clock for copies and for calls that take time.
Result<WorkloadCode> translate(const models::Architecture& architecture, const Workload& workload,
                               const models::WarpPolicy& policy, std::int64_t multiprocessors,
                               const StatedLaunchCost& launch_cost);

} // namespace warpbound::harness::simulator
