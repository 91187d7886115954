#pragma once
/// \file
/// Many runs of a workload on the simulated device.

#include "harness/protocol/measure.hpp"
#include "harness/simulator/machine.hpp"

namespace warpbound::harness {

struct MeasuredWorkload {
    std::vector<WorkloadObservation> runs; ///< In order.
    bool complete = false; ///< False if `progress` or `stop` ended the measurement early.
};

/// Runs the workload with the protocol's seeds; nothing is recorded. Uses `threads` threads; the
/// result does not depend on their number. When a run fails, no further run is started and the
/// failure is returned.
Result<MeasuredWorkload> measure_workload(const simulator::WorkloadMachine& machine,
                                          const Protocol& protocol, unsigned threads = 1,
                                          const Progress& progress = {},
                                          const std::function<bool()>& stop = {});

} // namespace warpbound::harness
