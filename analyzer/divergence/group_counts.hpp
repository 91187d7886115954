#pragma once
/// \file
/// How often groups of lanes that diverged in different iterations of a loop execute a block one
/// after the other.

#include "analyzer/divergence/product_exploration.hpp"

#include <cstdint>
#include <optional>
#include <set>

namespace warpbound::analyzer {

/// Whether a loop of nodes of these blocks is bounded with the given one as its header: as the
/// code's loop there, or as the number of groups (docs/theory, S67, loop bounds).
bool may_head_loop(const TimedKernel& kernel, const std::set<BlockIndex>& blocks,
                   BlockIndex header);

/// Per node of the serialized graph: the back edges of its loop, where its block heads no loop of
/// the code that it iterates. `in_order`: the nodes of the graph. Refuses, with the address, loops
/// that are neither bounded as those of a lane nor by the number of groups.
Result<PerSerializedNode<std::optional<std::int64_t>>>
group_counts(const TimedKernel& kernel, const ProductNodes& nodes, const Overtaking& overtaking,
             const assembly::ControlFlowGraph& graph,
             const PerSerializedNode<const ProductNode*>& in_order);

} // namespace warpbound::analyzer
