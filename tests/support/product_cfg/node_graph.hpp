#pragma once
/// \file
/// Makes nodes of the product fewer, and its loops reducible, without losing a path.

#include "tests/support/product_cfg/product_exploration.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace warpbound::analyzer {

/// Merges nodes of one block from which the same sequences of blocks follow (bisimilar nodes).
std::vector<ProductNode> without_bisimilar(std::vector<ProductNode> nodes);

/// Each loop of nodes has one entry: where groups of lanes that go on one after the other enter at
/// several nodes, these and what follows up to a chosen header are there once more, for the first
/// group. None: more nodes than the limit. `rank`: per block; headers of the
/// lowest one are preferred.
std::optional<std::vector<ProductNode>> with_single_entries(std::vector<ProductNode> nodes,
                                                            const std::vector<int>& rank,
                                                            std::size_t node_limit);

} // namespace warpbound::analyzer
