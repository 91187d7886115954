#pragma once
/// \file
/// A microbenchmark as AMD's assembly.

#include "harness/ptx_kernel.hpp"
#include "harness/suite/emission/emission.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpbound::harness {

/// A kernel that executes `before`, reads the clock, executes `timed`, reads the clock and stores
/// its records, as `emit_ptx` defines them; `text` is then assembly of the target. What differs:
///
/// * The registers of the operations are VGPRs, or pairs of them. A register that is read before
///   it is written holds the number that `emit_ptx` gives it.
/// * S_WAITCNT stands in front of an operation that reads or writes what a memory access has not
///   returned, with the count that leaves later accesses outstanding. All accesses, stores
///   included, have ended before either clock is read, so `closing` operations have no use.
/// * The loop control is three scalar instructions. No instruction is moved or merged.
/// * Clock and timer: `amd_clock_read`, `amd_timer_read`; the record has the timer's steps.
/// * Warps are wavefronts, of 64 lanes before gfx10 and 32 since.
///
/// `registers`: VGPRs of a lane that the kernel states at least, which limits its wavefronts.
/// Refuses operations that no instruction of AMD does, naming them, more than 256 VGPRs, and
/// targets for which no code is generated.
Result<PtxKernel> emit_amd(const std::string& entry, const std::vector<Operation>& before,
                           const std::vector<Operation>& timed, assembly::Target target,
                           std::int64_t trips = 1, std::int64_t registers = 1);

} // namespace warpbound::harness
