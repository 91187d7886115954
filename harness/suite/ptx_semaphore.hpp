#pragma once
/// \file
/// Blocks that wait for each other, as PTX.

#include "assembly/isa/program.hpp"
#include "assembly/support/result.hpp"
#include "harness/ptx_kernel.hpp"

namespace warpbound::harness {

/// The fewest registers of a thread that can be stated: ptxas 13.0 takes so many for fewer too
/// (sm_75 to sm_120; left to itself it takes 16 to 20 and tells nobody beforehand). Where registers
/// shall limit nothing they are stated as well: an SM of sm_30 and later has at least 65536, and at
/// most 2048 threads, which take 49152.
inline constexpr std::int64_t least_semaphore_registers = 24;

/// A kernel whose blocks count themselves in the first word of its memory, which is 0 when the
/// launch begins, and stay until all blocks of the launch are counted, or until a time-out has
/// passed since their own beginning: an SM then holds as many as fit. Its clock reads are those of
/// the first and the last cycle that a warp was seen in; nothing between them is timed.
/// A thread takes exactly `registers`: it holds more values than that while it
/// waits, and the compiler spills what does not fit. `Source:` G23 eq. 3.9 to 3.13, of which the
/// counter and the time-out are. Refuses what `ptx_header` refuses, and fewer registers than
/// `least_semaphore_registers`.
Result<PtxKernel> emit_semaphore(const std::string& entry, assembly::Target target,
                                 std::int64_t registers);

} // namespace warpbound::harness
