#pragma once
/// \file
/// Nodes for divergent loop exits: lanes that leave a loop in different iterations
/// (docs/theory, S19d).

#include "tests/support/branch_serialization/serialized_blocks.hpp"

namespace warpbound::analyzer {

/// The lanes that exit at the branch (`branch_node` is one node of it) go on before the others
/// continue to iterate, or are pending until the others have left. Requires `branch.loop_exit`.
void serialize_loop_exit(SerializedBlocks& nodes, std::size_t branch_node,
                         const DivergentBranch& branch, const SerializedBlocks::Reached& reached);

/// The same at a branch with siblings. The pending groups of lanes follow each other in any order.
/// All pass one last block, at which their sequence repeats, at most once for each of `lanes`.
/// Returns the nodes of all these branches; none when a block has several nodes there.
std::optional<SerializedBlocks::Set>
serialize_loop_exits(SerializedBlocks& nodes, std::size_t branch_node,
                     const DivergentBranch& branch,
                     const std::vector<DivergentBranch>& divergent_branches,
                     const SerializedBlocks::Reached& reached, std::int64_t lanes);

/// Lanes leave by BREAK in the nodes `path` of one path of the branch. After each node of `ends`
/// the groups that left and are pending follow each other up to where they reconverge with others;
/// then `next` goes on.
void serialize_breaks(SerializedBlocks& nodes, const DivergentBranch& branch,
                      const std::vector<DivergentBranch>& divergent_branches,
                      const SerializedBlocks::Set& path, const SerializedBlocks::Set& ends,
                      std::size_t next);

/// Where lanes that left by BREAK in the nodes `path` go on with those they reconverge with.
SerializedBlocks::Set nodes_after_breaks(const SerializedBlocks& nodes,
                                         const DivergentBranch& branch,
                                         const std::vector<DivergentBranch>& divergent_branches,
                                         const SerializedBlocks::Set& path);

} // namespace warpbound::analyzer
