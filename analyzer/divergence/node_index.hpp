#pragma once
/// \file
/// What is counted on the way from the kernel's blocks to the serialized control-flow graph (CFG).
/// `BlockIndex` here is a block of the kernel's graph.

#include "assembly/flow/block_index.hpp"
#include "assembly/support/index.hpp"
#include "assembly/support/indexed_vector.hpp"

namespace warpbound::analyzer {

using assembly::BlockIndex;
using assembly::PerBlock;

/// A traversal of loops by active lanes, as the exploration of the product numbers them.
using TraversalIndex = assembly::Index<struct TraversalTag>;
/// Outside all loops.
inline constexpr TraversalIndex no_traversal{0};

/// A node of the product of control flow and reconvergence stack, before nodes are ordered.
using ProductIndex = assembly::Index<struct ProductNodeTag>;
template <class T> using PerProductNode = assembly::IndexedVector<ProductIndex, T>;
/// The node in which the warp starts.
inline constexpr ProductIndex first_node{0};

/// A node of the serialized CFG.
using SerializedNode = assembly::Index<struct SerializedNodeTag>;
template <class T> using PerSerializedNode = assembly::IndexedVector<SerializedNode, T>;
/// The node that a block of `SerializedCfg::graph` is. Analyses of that graph see blocks alone.
constexpr SerializedNode node_of_serialized(BlockIndex of_graph) {
    return SerializedNode{of_graph.value()};
}

} // namespace warpbound::analyzer
