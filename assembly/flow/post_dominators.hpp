#pragma once
/// \file
/// Where all ways from a block meet again.

#include "assembly/flow/control_flow_graph.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::assembly {

/// Per block: the first block after it that lies on all ways from it to an EXIT; none where only
/// the end of the program does, and where no EXIT can be reached.
std::vector<std::optional<std::size_t>> immediate_post_dominators(const ControlFlowGraph& graph);

} // namespace warpbound::assembly
