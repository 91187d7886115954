#pragma once
/// \file
/// The events of a run to be checked.

#include "assembly/flow/control_flow_graph.hpp"
#include "harness/device.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/trace/sass_trace.hpp"
#include "models/architecture/architecture.hpp"
#include "models/launch/warp_policy.hpp"

#include <optional>
#include <string>
#include <vector>

namespace warpbound::tests {

struct RecordedRun {
    std::vector<harness::simulator::Event> events;
    std::int64_t execution_time = 0;
    int multiprocessors = 1;
    const harness::trace::SassTrace* trace =
        nullptr; ///< The trace that the warps followed; null: none.
};

} // namespace warpbound::tests
