#pragma once
/// \file
/// Blocks that wait for each other, as PTX.

#include "assembly/isa/program.hpp"
#include "assembly/support/result.hpp"
#include "harness/ptx_kernel.hpp"

namespace warpbound::harness {

/// No compiler gives a thread of this kernel fewer registers (ptxas 13.0 for sm_75 to sm_120).
inline constexpr std::int64_t least_semaphore_registers = 24;

/// A kernel whose blocks count themselves in the first word of its memory, which is 0 when the
/// launch begins, and stay until all blocks of the launch are counted, or until a time-out has
/// passed since their own beginning: an SM then holds as many as fit. Its clock reads are those of
/// the first and the last cycle that a warp was seen in; nothing between them is timed.
/// A thread takes exactly `registers`, if they are given: it holds more values than that while it
/// waits, and the compiler spills what does not fit. `Source:` G23 eq. 3.9 to 3.13, of which the
/// counter and the time-out are. Refuses what `ptx_header` refuses, and fewer registers than
/// `least_semaphore_registers`.
Result<PtxKernel> emit_semaphore(const std::string& entry, assembly::Target target,
                                 std::optional<std::int64_t> registers);

} // namespace warpbound::harness
