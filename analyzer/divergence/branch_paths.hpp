#pragma once
/// \file
/// Where lanes may go after a block, by the code and the facts.

#include "analyzer/divergence/node_index.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <cstddef>
#include <optional>
#include <set>

namespace warpbound::analyzer {

/// The block ends with a branch at which lanes may diverge.
bool diverges_after(const TimedKernel& kernel, BlockIndex block);
/// Blocks after the given one that lanes may come to.
std::set<BlockIndex> next_blocks(const TimedKernel& kernel, BlockIndex block);
/// Lanes may end after the block. Of the others none is executed.
PerBlock<bool> ending_blocks(const TimedKernel& kernel);
/// Immediate post-dominators; none where only the end of the program is.
PerBlock<std::optional<BlockIndex>> post_dominators_of(const assembly::ControlFlowGraph& graph);
/// About how many nodes the sets of groups make that diverge after the block and meet again at
/// `meeting`; 0: it has two paths at most.
std::size_t set_nodes_at(const TimedKernel& kernel, BlockIndex block,
                         const std::optional<BlockIndex>& meeting);
/// The same of all branches; 0 is among them.
std::set<std::size_t> sizes_of_sets(const TimedKernel& kernel);

} // namespace warpbound::analyzer
