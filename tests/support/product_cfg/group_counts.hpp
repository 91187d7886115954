#pragma once
/// \file
/// How often groups of lanes that diverged in different iterations of a loop execute a block one
/// after the other.

#include "tests/support/product_cfg/product_exploration.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Per node of the graph: the back edges of its loop, where its block heads no loop of the code
/// that it iterates. `in_order`: the nodes of the graph. Refuses, with the address, loops that are
/// neither bounded as those of a lane nor by the number of groups.
Result<std::vector<std::optional<std::int64_t>>>
group_counts(const AnalysisContext& context, const std::vector<ProductNode>& nodes,
             const Overtaking& overtaking, const assembly::ControlFlowGraph& graph,
             const std::vector<const ProductNode*>& in_order);

} // namespace warpbound::analyzer
