#pragma once
/// \file
/// Small kernels in which some lanes leave by BREAK the point at which the others meet. Their ways
/// wait for results of each other, so that the order of the ways counts.

#include "models/architecture/architecture.hpp"
#include "models/facts/flow_facts.hpp"

#include <cstdint>
#include <string>

namespace warpbound::tests {

/// sm_75, kernel `k`; `divergents` and `loops` of the facts are where the text has them.
struct LeavingKernel {
    std::string text; ///< A whole file.
    models::FlowFacts facts;
};

/// The same seed gives the same kernel.
LeavingKernel leaving_kernel(std::uint64_t seed);

/// A description in which the order of ways shows: turing-t4 with short gaps and long waits for
/// results.
Result<models::Architecture> machine_of_leaving_kernels();

} // namespace warpbound::tests
