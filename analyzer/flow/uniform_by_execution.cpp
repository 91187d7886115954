#include "analyzer/flow/uniform_by_execution.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>

namespace warpbound::analyzer {

namespace {

using assembly::ControlFlow;
using assembly::ControlFlowGraph;

/// How many of the ways at the end of a block some thread takes; to end is one, too.
std::size_t ways_taken(const assembly::BasicBlock& code, std::size_t block,
                       const AbstractRun& run) {
    const auto taken = std::count_if(code.out.begin(), code.out.end(),
                                     [&](std::size_t edge) { return run.taken[edge]; });
    return static_cast<std::size_t>(taken) + (run.exits[block] ? 1 : 0);
}

/// The only block from which threads leave the loop; nothing where there are several, or where some
/// thread may end in the loop: it leaves by another way than those that stay until the branch.
std::optional<std::size_t> leaving_block(const ControlFlowGraph& graph, const assembly::Loop& loop,
                                         const AbstractRun& run) {
    std::optional<std::size_t> leaving;
    if (std::ranges::any_of(loop.blocks, [&](std::size_t block) { return run.exits[block]; }))
        return std::nullopt;
    for (const std::size_t edge : loop.exit_edges) {
        if (!run.taken[edge]) continue;
        if (leaving && *leaving != graph.edges[edge].from) return std::nullopt;
        leaving = graph.edges[edge].from;
    }
    return leaving;
}

} // namespace

std::vector<bool> uniform_by_execution(const assembly::Function& function,
                                       const ControlFlowGraph& graph, const AbstractRun& run,
                                       const std::vector<bool>& in_step) {
    std::vector<bool> alike(graph.blocks.size(), false);
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
        alike[block] = ways_taken(graph.blocks[block], block, run) <= 1;
    for (std::size_t loop = 0; loop < graph.loops.size(); ++loop) {
        const auto& count = run.loops[loop];
        if (!count || count->min != count->max || !in_step[loop]) continue;
        const auto leaving = leaving_block(graph, graph.loops[loop], run);
        // In an inner loop it may decide several times in one iteration.
        if (leaving && graph.innermost_loop[*leaving] == loop &&
            ways_taken(graph.blocks[*leaving], *leaving, run) == 2)
            alike[*leaving] = true;
    }
    std::vector<bool> uniform(function.instructions.size(), true);
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
        if (!alike[block]) uniform[graph.blocks[block].last] = false;
    for (std::size_t i = 0; i < uniform.size(); ++i)
        if (function.instructions[i].control_flow == ControlFlow::None) uniform[i] = false;
    return uniform;
}

} // namespace warpbound::analyzer
