#pragma once
/// \file
/// The events of a simulated run as a recorded trace, as a tracer would have written it on that
/// machine.

#include "harness/device.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/trace/sass_trace.hpp"
#include "models/architecture/architecture.hpp"

#include <vector>

namespace warpbound::tests {

/// Every warp's issues in their order. A mask has the lanes for which an instruction executed, of a
/// control transfer those that it transferred. Addresses come from the pattern of the instruction;
/// where it has none they are made up: as many lines, words or lanes of one word as it took passes.
/// Requires: a warp has at most 32 lanes.
harness::trace::SassTrace trace_of(const harness::Kernel& kernel,
                                   const models::Architecture& machine,
                                   const std::vector<harness::simulator::Event>& events);

} // namespace warpbound::tests
