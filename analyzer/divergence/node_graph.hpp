#pragma once
/// \file
/// Makes nodes of the product fewer, and its loops reducible, without losing a path.

#include "analyzer/divergence/product_exploration.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <set>

namespace warpbound::analyzer {

/// Merges nodes of one block from which the same sequences of blocks follow (bisimilar nodes).
ProductNodes without_bisimilar(ProductNodes nodes);

/// How well the block, the second argument, heads a loop of nodes that are of the blocks in the
/// first one: the lowest is best.
using HeaderRank = std::function<int(const std::set<BlockIndex>&, BlockIndex)>;
/// The loop of nodes would not be bounded; at no other rank.
inline constexpr int unbounded_rank = 3;

/// Each loop of nodes has one entry, which is not of `unbounded_rank` where another header is not:
/// what lies between its entries and a chosen header is there once more, outside the loop. None:
/// more nodes than the limit.
std::optional<ProductNodes> with_single_entries(ProductNodes nodes, const HeaderRank& rank,
                                                std::size_t node_limit);

} // namespace warpbound::analyzer
