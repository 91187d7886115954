#pragma once
/// \file
/// The events of a simulated run as the trace that a tracer would record on that machine.

#include "harness/device.hpp"
#include "harness/simulator/clock/event.hpp"
#include "harness/trace/sass_trace.hpp"
#include "models/architecture/architecture.hpp"

#include <vector>

namespace warpbound::tests {

/// The issues of every warp in order. A mask has the lanes for which an instruction executed; for a
/// control transfer, the lanes that it transferred. Addresses come from the instruction's pattern.
/// Without a pattern they are synthetic: as many lines, words or lanes of one word as the access
/// took passes. Requires: a warp has at most 32 lanes.
harness::trace::SassTrace trace_of(const harness::Kernel& kernel,
                                   const models::Architecture& machine,
                                   const std::vector<harness::simulator::Event>& events);

} // namespace warpbound::tests
