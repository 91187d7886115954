#pragma once
/// \file
/// Small kernels in which some lanes leave by BREAK the point at which the others reconverge. Their
/// paths wait for results of each other, so that the order of the paths matters.

#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// sm_75, kernel `k`; `divergents` and `loops` of the facts agree with the text.
struct LoopExitKernel {
    std::string text; ///< A whole file.
    models::FlowFacts facts;
};

/// The same seed gives the same kernel.
LoopExitKernel loop_exit_kernel(std::uint64_t seed);

/// Two loops, one in the other. Lanes that leave both are passed over by lanes that waited at a
/// point of the outer one.
LoopExitKernel nested_loop_exit_kernel(std::uint64_t seed);

/// A description in which the order of the paths matters: turing-t4 with short gaps and long
/// latencies.
Result<models::Architecture> machine_of_loop_exit_kernels();

} // namespace warpbound::tests
