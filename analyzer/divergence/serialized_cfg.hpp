#pragma once
/// \file
/// The serialized control-flow graph (CFG) of a warp whose lanes may diverge: the paths of a
/// divergent branch follow each other.

#include "analyzer/divergence/abstract_stack.hpp"
#include "analyzer/divergence/node_detail.hpp"
#include "analyzer/divergence/node_index.hpp"
#include "analyzer/launch/timed_kernel.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

/// A graph of which the warp's sequence of blocks is a path, whichever lanes follow which path and
/// whichever group goes first.
struct SerializedCfg {
    assembly::ControlFlowGraph graph;       ///< Its blocks are the nodes: `node_of_serialized`.
    PerSerializedNode<BlockIndex> original; ///< The block of the kernel's graph.
    /// Per node at the head of a sequence of pending groups, which left a loop in different
    /// iterations: how many groups may enter it one after the other. Else none.
    PerSerializedNode<std::optional<std::int64_t>> repeated;
    /// Per node: all lanes that have not ended execute it converged.
    PerSerializedNode<bool> converged;
    /// Per node: the reconvergence stacks with which lanes come to it.
    PerSerializedNode<std::vector<AbstractStack>> stacks;
};

/// The largest serialized CFG of a kernel of so many blocks. In a chain of divergent branches each
/// branch adds a few nodes; in nested ones each level may double them.
constexpr std::size_t most_serialized_nodes(std::size_t blocks) {
    return 20'000 + 4 * blocks;
}

/// The product of the control flow with the reconvergence stack. Side: upper (docs/theory, S67).
/// `detail`: the first that is tried; coarser ones follow where it needs too many nodes. Refuses,
/// with the address, what `SimtRules` refuses, loops of nodes without a bound, and kernels that
/// need more than `most_serialized_nodes`.
Result<SerializedCfg> serialized_cfg(const TimedKernel& kernel,
                                     NodeDetail::Kind detail = NodeDetail::Kind::Groups);

} // namespace warpbound::analyzer
