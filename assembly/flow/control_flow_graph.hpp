#pragma once
/// \file
/// Basic blocks of a function, the edges between them, dominators and natural loops.

#include "assembly/isa/program.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace warpbound::assembly {

/// How control passes from one block to another.
enum class EdgeKind {
    FallThrough, ///< not taken, or no branch at the end
    Taken,       ///< a branch, a pop of the reconvergence stack, a call or a return
};

struct Edge {
    std::size_t from = 0; ///< Index into `blocks`.
    std::size_t to = 0;
    EdgeKind kind = EdgeKind::FallThrough;

    friend bool operator==(const Edge&, const Edge&) = default;
};

/// Instructions first .. last of the function, entered only at the first and exited only after the
/// last.
struct BasicBlock {
    std::size_t first = 0; ///< Index into `Function::instructions`.
    std::size_t last = 0;  ///< Inclusive.
    std::int64_t address = 0;
    /// The last instruction is an EXIT, guarded or not.
    bool exits = false;
    std::vector<std::size_t> out; ///< Indices into `edges`, in increasing order of (kind, to).
    std::vector<std::size_t> in;
    /// Call context: addresses of the calls on the call stack; empty outside called code.
    std::vector<std::int64_t> context;
};

/// A natural loop. Loops with the same header are one loop.
struct Loop {
    std::size_t header = 0;              ///< Block.
    std::vector<std::size_t> blocks;     ///< Sorted, header included, inner loops' blocks included.
    std::vector<std::size_t> back_edges; ///< Edges inside the loop into the header.
    std::vector<std::size_t> entry_edges; ///< Edges from outside into the header.
    std::vector<std::size_t> exit_edges;  ///< Edges from the loop to outside.
    std::optional<std::size_t> parent;    ///< Index of the innermost enclosing loop.
    int depth = 1;
};

/// Control flow of one thread, or of a warp that does not diverge. It has the blocks that are
/// reachable from the entry. Block 0 is the entry; it may be a loop header. Calls are expanded (the
/// callee's blocks occur once per call context); recursion is refused.
struct ControlFlowGraph {
    std::vector<BasicBlock> blocks; ///< In reverse post order.
    std::vector<Edge> edges;
    std::vector<std::optional<std::size_t>> immediate_dominator; ///< Per block; none for the entry.
    /// Per block: preorder number in the dominator tree, and the last one of its subtree. Empty in
    /// graphs that were not made by `order_blocks`.
    std::vector<std::pair<std::size_t, std::size_t>> dominator_preorder;
    std::vector<Loop> loops;                                ///< Outer loops before inner ones.
    std::vector<std::optional<std::size_t>> innermost_loop; ///< Per block.

    /// In constant time where `dominator_preorder` is known.
    [[nodiscard]] bool dominates(std::size_t above, std::size_t below) const;
};

/// Builds the graph. Refuses, naming the address: an indirect branch without known targets, a
/// target that is no instruction, unknown control instructions, a pop whose push differs between
/// paths, recursion, irreducible loops (AMD code gets copies of blocks: S54), a function from whose
/// entry no EXIT can be reached, code that runs past the last instruction. All refusals of one
/// function form one message, with the source location of the first.
Result<ControlFlowGraph> build_control_flow_graph(const Function& function);

struct ExploredBlock; // assembly/flow/block_exploration.hpp

/// A graph, and the explored block that each of its blocks came from.
struct OrderedBlocks {
    ControlFlowGraph graph;
    std::vector<std::size_t> explored; ///< Per block of the graph: index of the explored block.
};

/// Builds the graph of explored blocks, of which the first is the entry, in reverse post order;
/// blocks that the entry does not reach are dropped. Refuses irreducible loops.
Result<OrderedBlocks> order_blocks(const Function& function,
                                   const std::vector<ExploredBlock>& blocks);

/// Blocks that are reachable from `from` over at least one edge, using only edges with
/// `follow(edge)`. `Shape:` reachable[block].
template <class Follow>
std::vector<bool> blocks_reachable_from(const ControlFlowGraph& graph, std::size_t from,
                                        Follow follow) {
    std::vector<bool> reachable(graph.blocks.size(), false);
    std::vector<std::size_t> worklist{from};
    while (!worklist.empty()) {
        const std::size_t block = worklist.back();
        worklist.pop_back();
        for (const std::size_t number : graph.blocks[block].out) {
            const Edge& edge = graph.edges[number];
            if (reachable[edge.to] || !follow(edge)) continue;
            reachable[edge.to] = true;
            worklist.push_back(edge.to);
        }
    }
    return reachable;
}

/// Graphviz text, one node per block.
std::string to_dot(const Function& function, const ControlFlowGraph& graph);

} // namespace warpbound::assembly
