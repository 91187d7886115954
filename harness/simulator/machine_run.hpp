#pragma once
/// \file
/// One run of a simulated machine.

#include "harness/simulator/clock/clock.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/simulator/decode/kernel_code.hpp"
#include "harness/simulator/launch/workload.hpp"

namespace warpbound::harness::simulator {

/// A run that lasts longer is refused. Unit: core cycles.
inline constexpr std::int64_t run_limit = std::int64_t{1} << 40U;

/// Whether each SM of a launch has a clock of its own, where that is possible.
enum class Clocks { Own, One };

/// Runs the kernel once. `order` reorders the components in a step. No result depends on it, nor on
/// the clocks.
Result<models::Observation> run_once(const KernelCode& code, const RunOptions& options,
                                     const Listener& listener = {}, const TickOrder& order = {},
                                     Clocks clocks = Clocks::Own);

/// Runs a workload once. Refuses options with a path.
Result<WorkloadObservation> run_workload(const RunPlan& plan, const RunOptions& options,
                                         const Listener& listener = {},
                                         const TickOrder& order = {});

} // namespace warpbound::harness::simulator
