#pragma once
/// \file
/// The product of a kernel's control-flow graph with the abstract reconvergence stack: its states,
/// merged to nodes (docs/theory, S67).

#include "analyzer/divergence/node_detail.hpp"
#include "analyzer/divergence/node_index.hpp"
#include "analyzer/divergence/simt_steps.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// States of one block between which the bound does not distinguish.
struct ProductNode {
    BlockIndex block;
    std::vector<AbstractStack> stacks;
    /// Nodes that may follow, and whether its lanes fall through to them.
    std::set<std::pair<ProductIndex, bool>> successors{};
};
/// The first is of the entry.
using ProductNodes = PerProductNode<ProductNode>;

struct Product {
    ProductNodes nodes;
    Overtaking overtaking;
};

/// None: more nodes than the limit.
Result<std::optional<Product>> explore_product(const TimedKernel& kernel, NodeDetail detail,
                                               std::size_t node_limit);

} // namespace warpbound::analyzer
