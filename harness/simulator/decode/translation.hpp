#pragma once
/// \file
/// Translates a kernel for the simulated SM.

#include "harness/simulator/decode/kernel_code.hpp"

namespace warpbound::harness::simulator {

/// For a machine of `multiprocessors` SMs. `other_blocks`: blocks of other launches in the run.
/// Refuses values that a run may need and the description lacks, a block that fits no SM, naming
/// the resource, and constructs that this version does not simulate.
Result<KernelCode> translate(const models::Architecture& architecture, const Kernel& kernel,
                             const models::WarpPolicy& policy = {},
                             std::int64_t multiprocessors = 1, std::int64_t other_blocks = 0);

} // namespace warpbound::harness::simulator
