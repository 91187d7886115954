#pragma once
/// \file
/// The kernel whose blocks wait for each other, as AMD's assembly.

#include "assembly/isa/target.hpp"
#include "assembly/support/result.hpp"
#include "harness/ptx_kernel.hpp"

#include <cstdint>
#include <string>

namespace warpbound::harness {

/// As `emit_semaphore`: each block counts itself and waits until all blocks of the launch have, or
/// for `semaphore_time_out` cycles. `registers`: VGPRs of a lane that the kernel states. Refuses
/// fewer than `least_semaphore_registers`, more than 256, targets for which no code is generated,
/// and those whose clock wraps.
Result<PtxKernel> emit_amd_semaphore(const std::string& entry, assembly::Target target,
                                     std::int64_t registers);

} // namespace warpbound::harness
