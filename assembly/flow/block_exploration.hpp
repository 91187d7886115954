#pragma once
/// \file
/// Finds the blocks that a warp can reach and their successors, with calls expanded and pops of the
/// reconvergence stack resolved.

#include "assembly/isa/program.hpp"

#include <cstddef>
#include <vector>

namespace warpbound::assembly {

/// For `check_stop`.
inline constexpr const char* graph_step = "the control-flow graph";

/// A reachable block in one call context, before ordering.
struct ExploredBlock {
    std::size_t first = 0;
    std::size_t last = 0;
    bool exits = false;
    std::vector<std::int64_t> context;
    /// Index of an explored block, and whether control is transferred to it (not fallen through).
    struct Successor {
        std::size_t block = 0;
        bool taken = false;
    };
    std::vector<Successor> successors;
};

/// Block 0 is the entry. Refuses what `build_control_flow_graph` refuses, except irreducible loops.
Result<std::vector<ExploredBlock>> explore_blocks(const Function& function);

} // namespace warpbound::assembly
