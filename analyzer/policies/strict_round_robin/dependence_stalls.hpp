#pragma once
/// \file
/// Longest dependence stalls of a warp, by what is outstanding at each instruction (docs/theory,
/// S77).

#include "analyzer/launch/path_bound.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// The longest times for which a warp is not ready, however other warps delay it. `Unit:` core
/// cycles. Side: upper.
struct LongestStalls {
    /// `Shape:` instructions[instruction]: from the issue before it on; 0 where no path leads.
    std::vector<std::int64_t> instructions;
    std::int64_t completion = 0; ///< From the issue of the last EXIT to completion (C2).
};

/// What of an outstanding time remains at the next issue of the warp.
enum class Remaining {
    AfterIssues, ///< It shrinks by what the instruction before makes the next one wait for.
    AsBegun      ///< All of it: the cycles between the issues may not count (docs/theory, S78).
};

/// Over all paths of the kernel's graph that the facts allow. What is outstanding shrinks, from one
/// issue of the warp to its next one, by what the instruction that issued last makes the next one
/// wait for at least, and by no more. `pipelines`: without stages in their state, and with a write
/// buffer that never delays.
LongestStalls longest_stalls(const TimedKernel& kernel, const PipelinePair& pipelines,
                             Remaining remaining = Remaining::AfterIssues);

} // namespace warpbound::analyzer
