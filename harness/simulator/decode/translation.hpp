#pragma once
/// \file
/// Translates a kernel for the simulated SM.

#include "harness/simulator/decode/kernel_code.hpp"

namespace warpbound::harness::simulator {

/// For a machine of so many SMs. `other_blocks`: of other launches in the run. Refuses what a run
/// could need and the description lacks, a block that fits no SM, naming the resource, and what
/// this version does not simulate.
Result<KernelCode> translate(const models::Architecture& architecture, const Kernel& kernel,
                             const models::WarpPolicy& policy = {},
                             std::int64_t multiprocessors = 1, std::int64_t other_blocks = 0);

} // namespace warpbound::harness::simulator
