#pragma once
/// \file
/// Experiments on the simulated machine: workloads by C32 to C36, observed through its events.

#include "harness/hypotheses/scheduling_device.hpp"
#include "harness/simulator/machine.hpp"

#include <memory>

namespace warpbound::harness::hypotheses {

struct SimulatedScheduling {
    models::WarpPolicy policy{};
    std::int64_t multiprocessors = 2;
    /// None: `blocks/launch` of the description, or `assumed_launch_cost` where it has none.
    simulator::StatedLaunchCost launch_cost{};
    Draw draw = Draw::Uniform;
};
/// `Unit:` core cycles.
inline constexpr simulator::Range assumed_launch_cost{200, 400};

/// Refuses a description without the values that every kernel needs, and one without limits of
/// resident warps.
Result<std::unique_ptr<SchedulingDevice>>
simulated_scheduling(const models::Architecture& architecture, const SimulatedScheduling& setup);

/// A workload of the simulated machine, run once and observed. `workload`: its kernels are bare
/// listings without divergence.
Result<ObservedWorkload> observe_simulated(const simulator::WorkloadMachine& machine,
                                           const Workload& workload, const RunOptions& options);

} // namespace warpbound::harness::hypotheses
