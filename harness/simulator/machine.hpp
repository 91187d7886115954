#pragma once
/// \file
/// The simulated machine: docs/timing-contract.md executed cycle by cycle.

#include "harness/device.hpp"
#include "harness/simulator/event.hpp"
#include "models/architecture/architecture.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "models/warp_policy.hpp"

#include <functional>
#include <memory>

namespace warpbound::harness::simulator {

/// Hears every event of a run, in time order. What it throws ends the run and leaves `run`.
using Listener = std::function<void(const Event&)>;

/// A kernel on the simulated machine. Immutable after `prepare`; runs share nothing.
class Machine {
public:
    /// For a machine of so many SMs. Refuses what a run could need and the description lacks, a
    /// block that fits no SM, and constructs this version does not simulate.
    static Result<std::shared_ptr<const Machine>> prepare(const models::Architecture& architecture,
                                                          const Kernel& kernel,
                                                          const models::WarpPolicy& policy = {},
                                                          std::int64_t multiprocessors = 1);
    virtual ~Machine() = default;
    virtual Result<models::Observation> run(const RunOptions& options,
                                            const Listener& listener = {}) const = 0;
};

} // namespace warpbound::harness::simulator
