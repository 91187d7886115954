#pragma once
/// \file
/// Strong indices of basic blocks. A `ControlFlowGraph` counts its blocks by plain numbers; here is
/// the one border between these and `BlockIndex`.

#include "assembly/flow/control_flow_graph.hpp"
#include "assembly/support/index.hpp"
#include "assembly/support/indexed_vector.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace warpbound::assembly {

/// A basic block of the control-flow graph at hand.
using BlockIndex = Index<struct BlockTag>;
template <class T> using PerBlock = IndexedVector<BlockIndex, T>;

/// The block before which nothing is executed.
inline constexpr BlockIndex entry_block{0};

inline const BasicBlock& block_at(const ControlFlowGraph& graph, BlockIndex block) {
    return graph.blocks[block.value()];
}
/// All blocks, in reverse post order.
inline IndexRange<BlockIndex> all_blocks(const ControlFlowGraph& graph) {
    return {BlockIndex{0}, BlockIndex{graph.blocks.size()}};
}
inline BlockIndex from_block(const Edge& edge) {
    return BlockIndex{edge.from};
}
inline BlockIndex to_block(const Edge& edge) {
    return BlockIndex{edge.to};
}
inline BlockIndex header_block(const Loop& loop) {
    return BlockIndex{loop.header};
}
inline bool has_block(const Loop& loop, BlockIndex block) {
    return std::binary_search(loop.blocks.begin(), loop.blocks.end(), block.value());
}
/// Index into `graph.loops`; none: the block is in no loop.
inline std::optional<std::size_t> innermost_loop_of(const ControlFlowGraph& graph,
                                                    BlockIndex block) {
    return graph.innermost_loop[block.value()];
}

} // namespace warpbound::assembly
