#include "analyzer/divergence/serialized_executions.hpp"

#include "models/units.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlowGraph;

/// Whether all lanes that have not ended are in one iteration of the loop, and of those around it:
/// they execute each header together.
bool keeps_lanes_together(const ControlFlowGraph& graph, std::optional<std::size_t> loop,
                          const PerBlock<bool>& converged) {
    for (; loop; loop = graph.loops[*loop].parent)
        if (!converged[header_block(graph.loops[*loop])]) return false;
    return true;
}

/// Whether the warp comes to the node at most once between two executions of the header of the
/// loop: that of its own loop on the serialized graph is one of them.
bool is_once_an_iteration(const ControlFlowGraph& graph, std::optional<std::size_t> loop,
                          const SerializedCfg& cfg, SerializedNode node) {
    const auto inner = innermost_loop_of(cfg.graph, BlockIndex{node.value()});
    if (!inner) return true;
    const SerializedNode header = node_of_serialized(header_block(cfg.graph.loops[*inner]));
    return loop && cfg.original[header] == header_block(graph.loops[*loop]);
}

/// How often the warp comes to nodes of the block between two executions of the header, at most;
/// each once. Edges that go back lead to headers.
std::int64_t most_on_the_way(const SerializedCfg& cfg, BlockIndex block,
                             std::optional<BlockIndex> header) {
    PerSerializedNode<std::int64_t> visits(cfg.original.size(), 0);
    std::int64_t most = 0;
    for (const BlockIndex at : all_blocks(cfg.graph)) {
        const SerializedNode node = node_of_serialized(at);
        for (const std::size_t edge : block_at(cfg.graph, at).in) {
            const BlockIndex from = from_block(cfg.graph.edges[edge]);
            if (from < at) visits[node] = std::max(visits[node], visits[node_of_serialized(from)]);
        }
        if (header && cfg.original[node] == *header) visits[node] = 0;
        if (cfg.original[node] == block) most = std::max(most, ++visits[node]);
    }
    return most;
}

/// Per block, how often a warp executes it at most in one iteration of the loops around it; none:
/// not known.
PerBlock<std::optional<std::int64_t>> times_an_iteration(const ControlFlowGraph& graph,
                                                         const SerializedCfg& cfg) {
    PerBlock<bool> converged(graph.blocks.size(), true);
    for (const SerializedNode node : cfg.original.indices())
        converged[cfg.original[node]] = cfg.converged[node];
    PerBlock<std::optional<std::int64_t>> most(graph.blocks.size(), 0);
    for (const SerializedNode node : cfg.original.indices()) {
        const BlockIndex block = cfg.original[node];
        const auto loop = innermost_loop_of(graph, block);
        if (!most[block]) continue;
        if (keeps_lanes_together(graph, loop, converged) &&
            is_once_an_iteration(graph, loop, cfg, node))
            ++*most[block];
        else
            most[block].reset();
    }
    for (const BlockIndex block : most.indices()) {
        if (!most[block] || *most[block] < 2) continue;
        const auto loop = innermost_loop_of(graph, block);
        const auto header = loop ? std::optional{header_block(graph.loops[*loop])} : std::nullopt;
        most[block] = most_on_the_way(cfg, block, header);
    }
    return most;
}

} // namespace

std::vector<ExecutionCounts> on_serialized_paths(const TimedKernel& kernel,
                                                 const SerializedCfg& cfg,
                                                 std::vector<ExecutionCounts> in_iterations) {
    if (in_iterations.empty()) return in_iterations;
    const ControlFlowGraph& graph = *kernel.graph;
    const auto of_block = times_an_iteration(graph, cfg);
    // Of called code each call has a block.
    std::vector<std::int64_t> most(kernel.function->instructions.size(), 0);
    for (const BlockIndex block : all_blocks(graph))
        for (std::size_t i = block_at(graph, block).first; i <= block_at(graph, block).last; ++i)
            most[i] = std::max(most[i], of_block[block].value_or(uncounted));
    for (ExecutionCounts& counts : in_iterations)
        for (std::size_t i = 0; i < counts.size(); ++i)
            counts[i] = counts[i] == uncounted || most[i] == uncounted
                            ? uncounted
                            : models::times(counts[i], most[i]);
    return in_iterations;
}

} // namespace warpbound::analyzer
