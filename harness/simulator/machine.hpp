#pragma once
/// \file
/// The simulated machine: docs/reference/timing-contract.md executed cycle by cycle.

#include "harness/device.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/simulator/launch/workload.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/launch/warp_policy.hpp"

#include <memory>

namespace warpbound::harness::simulator {

/// A kernel on the simulated machine. Immutable after `prepare`; runs share nothing.
class Machine {
public:
    /// For a machine of `multiprocessors` SMs. Refuses values that a run may need and the
    /// description lacks, a block that fits no SM, and constructs that this version does not
    /// simulate.
    static Result<std::shared_ptr<const Machine>> prepare(const models::Architecture& architecture,
                                                          const Kernel& kernel,
                                                          const models::WarpPolicy& policy = {},
                                                          std::int64_t multiprocessors = 1);
    virtual ~Machine() = default;
    virtual Result<models::Observation> run(const RunOptions& options,
                                            const Listener& listener = {}) const = 0;
};

/// A workload on the simulated machine (C32 to C36). Immutable after `prepare`; runs share nothing.
class WorkloadMachine {
public:
    /// Refuses as `translate` of the workload. The kernels' functions, graphs and facts must
    /// outlive it.
    static Result<std::shared_ptr<const WorkloadMachine>>
    prepare(const models::Architecture& architecture, const Workload& workload,
            const models::WarpPolicy& policy = {}, std::int64_t multiprocessors = 1,
            const StatedLaunchCost& launch_cost = {});

    explicit WorkloadMachine(WorkloadCode code) : code_{std::move(code)} {}
    /// Refuses options with a path, and blocks that have to wait for free resources where the
    /// description lacks the replacement time.
    [[nodiscard]] Result<WorkloadObservation> run(const RunOptions& options,
                                                  const Listener& listener = {}) const;

private:
    WorkloadCode code_;
};

} // namespace warpbound::harness::simulator
