#pragma once
/// \file
/// Bytes that a launch moves at the memories that all SMs share (docs/theory, S65).

#include "analyzer/launch/launch_geometry.hpp"
#include "analyzer/launch/timed_kernel.hpp"
#include "models/pipeline/system.hpp"

#include <cstdint>

namespace warpbound::analyzer {

/// Bytes of one launch at the L2 and at the DRAM: accesses of all warps as if none hit the L1, the
/// fill and the write-back that each may cause, and first uses of instructions and constants.
/// `Side:` upper. `Unit:` bytes. Sound when: the launch evicts no line that others wrote, or that
/// is counted here (an access evicts one line at most). Refuses, naming the instruction or the
/// value: a texture access, an operation on a cache, instructions or constants that caches need not
/// keep, an L2 without a line size.
Result<models::PerMemory<std::int64_t>> bytes_at_shared_memories(const TimedKernel& kernel,
                                                                 const LaunchGeometry& shape);

} // namespace warpbound::analyzer
