#pragma once
/// \file
/// Matches recorded warps against the listing of their kernel and derives their instruction
/// streams.

#include "assembly/flow/control_flow_graph.hpp"
#include "harness/recorded_launch.hpp"
#include "harness/trace/sass_trace.hpp"

#include <string>
#include <vector>

namespace warpbound::harness::trace {

/// A kernel's listing, and the file that it was read from. The referenced objects must outlive it.
struct Listing {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    std::string file;
};

/// A warp of a trace, and its source.
struct TracedWarpSource {
    std::string file;
    std::string name;        ///< "warp 1 of block 0,0,0"
    RecordedLanes lanes = 0; ///< Lanes that have a thread (C37).
    const TracedWarp* warp = nullptr;
    const std::vector<std::int64_t>* lines = nullptr; ///< Line number in the file, per issue.
};

/// The instruction stream of a warp by C54 to C56. Refuses, with file and line of the trace: an
/// address without an instruction in the listing; another opcode or destination there; lanes that
/// the warp does not have, that have exited, or that cannot reach the instruction; an empty mask
/// without a guard; an access without addresses; from sm_70 on, a barrier that only part of the
/// lanes reach; and lanes that never exit.
Result<RecordedWarp> match_stream(const Listing& listing, const TracedWarpSource& source);

} // namespace warpbound::harness::trace
