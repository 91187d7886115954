#pragma once
/// \file
/// Immediate post-dominators of blocks.

#include "assembly/flow/control_flow_graph.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::assembly {

/// Per block: the nearest other block on all paths from it to an EXIT; nothing where only the end
/// of the program is, or where no EXIT is reachable.
std::vector<std::optional<std::size_t>> immediate_post_dominators(const ControlFlowGraph& graph);

} // namespace warpbound::assembly
