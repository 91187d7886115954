#pragma once
/// \file
/// Blocks that wait for each other, as PTX.

#include "assembly/isa/program.hpp"
#include "assembly/support/result.hpp"
#include "harness/ptx_kernel.hpp"

namespace warpbound::harness {

/// The smallest number of registers per thread that can be stated: for smaller numbers ptxas 13.0
/// uses as many too (sm_75 to sm_120; without a statement it uses 16 to 20, unknown in advance). It
/// is also stated if registers must not limit the residency: an SM of sm_30 and later has at least
/// 65536 registers, and at most 2048 threads, which use 49152.
inline constexpr std::int64_t least_semaphore_registers = 24;

/// A kernel whose blocks count themselves in the first word of its memory, which is 0 when the
/// launch begins, and remain resident until all blocks of the launch are counted, or until a
/// time-out after their own start: an SM then holds as many as fit. The clock reads of a warp mark
/// the beginning and end of its residency; nothing between them is timed. A thread uses exactly
/// `registers` registers: it holds more values than that while it waits, and the compiler spills
/// the rest. `Source:` G23 eq. 3.9 to 3.13, for the counter and the time-out. Refuses what
/// `ptx_header` refuses, and fewer registers than `least_semaphore_registers`.
Result<PtxKernel> emit_semaphore(const std::string& entry, assembly::Target target,
                                 std::int64_t registers);

} // namespace warpbound::harness
