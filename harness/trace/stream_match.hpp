#pragma once
/// \file
/// Recorded warps held against the listing of their kernel: what their lanes did there, and where.

#include "assembly/flow/control_flow_graph.hpp"
#include "harness/recorded_launch.hpp"
#include "harness/trace/sass_trace.hpp"

#include <string>
#include <vector>

namespace warpbound::harness::trace {

/// A kernel's text, and the file that it was read from. What it refers to must outlive it.
struct Listing {
    const assembly::Function* function = nullptr;
    const assembly::ControlFlowGraph* graph = nullptr;
    std::string file;
};

/// A warp of a trace.
struct TracedPlace {
    std::string file;
    std::string who;         ///< "warp 1 of block 0,0,0"
    RecordedLanes lanes = 0; ///< That the launch gives it (C37).
    const TracedWarp* warp = nullptr;
    const std::vector<std::int64_t>* lines = nullptr; ///< Of the file, per issue.
};

/// The course of a warp by C54 to C56. Refuses, with file and line of the trace: an address that is
/// no instruction of the listing, another opcode or destination there, lanes that the warp does not
/// have, that ended or that cannot be there, a mask of no lanes without a guard, an access without
/// addresses, a barrier that part of the lanes reach from sm_70 on, and lanes that never end.
Result<RecordedWarp> match_stream(const Listing& listing, const TracedPlace& place);

} // namespace warpbound::harness::trace
