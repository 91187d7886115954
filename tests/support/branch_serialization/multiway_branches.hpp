#pragma once
/// \file
/// Nodes for lanes that diverge to more than two successors at once, as by a table of branch
/// targets (docs/theory, S19d).

#include "tests/support/branch_serialization/serialized_blocks.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::analyzer {

/// Lets the paths of one node of the branch, which begin at `starts`, follow each other in any
/// order, each once. Where this takes more than `max_nodes` nodes, any path may follow any, as
/// often as there are paths or `lanes`; this only makes the longest path longer.
void serialize_multiway_branch(SerializedBlocks& nodes, std::size_t branch_node,
                               const DivergentBranch& branch,
                               const SerializedBlocks::Reached& reached,
                               const std::vector<std::size_t>& starts, std::size_t max_nodes,
                               std::int64_t lanes);

} // namespace warpbound::analyzer
