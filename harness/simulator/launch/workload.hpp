#pragma once
/// \file
/// A workload translated for the simulated machine: everything that is the same in all runs.

#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/messages.hpp"
#include "harness/workload.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace warpbound::harness::simulator {

/// An operation of the host (C32). `Unit:` core cycles.
struct HostStep {
    models::HostOperationKind kind = models::HostOperationKind::Launch;
    std::optional<std::size_t> stream{}; ///< None: the NULL stream.
    std::int64_t at = 0;                 ///< Not issued before.
    Range cost;                          ///< Launch cost, or what the copy takes.
    std::size_t engine = 0;              ///< Of a copy.
    std::size_t launch = 0;              ///< Of a launch: its number in the run.

    [[nodiscard]] bool is_launch() const { return kind == models::HostOperationKind::Launch; }
};

/// What a run runs. The codes that grids point to must outlive it.
struct RunPlan {
    MachineShape machine;
    std::vector<Grid> grids; ///< Of the launches.
    std::vector<HostStep> steps;
    Range call; ///< Of the host, between two steps.
    /// Why blocks cannot wait for room; none where `machine` has their replacement.
    std::optional<Failure> no_replacement{};
};

/// A kernel by itself: one launch that costs nothing.
RunPlan plan_of(const KernelCode& code);

struct WorkloadCode {
    std::deque<KernelCode> kernels;
    RunPlan plan;
};

/// What a launch costs where the description does not say: stated by the user.
using StatedLaunchCost = std::optional<Range>;

/// For a machine of so many SMs. Refuses what `translate` refuses of a kernel, a workload that has
/// kernels and launches none, one without operations, and what the operations need and the
/// description lacks: the launch cost unless it is stated, start-up and bandwidth of a copy's
/// direction, the copy engines of a workload that copies both ways, the core clock of copies and of
/// calls that take time.
Result<WorkloadCode> translate(const models::Architecture& architecture, const Workload& workload,
                               const models::WarpPolicy& policy, std::int64_t multiprocessors,
                               const StatedLaunchCost& launch_cost);

} // namespace warpbound::harness::simulator
