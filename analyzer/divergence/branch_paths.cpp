#include "analyzer/divergence/branch_paths.hpp"

#include "assembly/flow/post_dominators.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t most_paths = 10; ///< Of a branch, told apart in sets.

/// Blocks that lanes may come to from `from` on, in front of the other two.
std::size_t blocks_between(const TimedKernel& kernel, BlockIndex from, BlockIndex branch,
                           const std::optional<BlockIndex>& meeting) {
    std::set<BlockIndex> seen{branch};
    if (meeting) seen.insert(*meeting);
    if (!seen.insert(from).second) return 0;
    std::size_t blocks = 0;
    std::vector<BlockIndex> work{from};
    while (!work.empty()) {
        const BlockIndex block = work.back();
        work.pop_back();
        ++blocks;
        for (const BlockIndex next : next_blocks(kernel, block))
            if (seen.insert(next).second) work.push_back(next);
    }
    return blocks;
}

} // namespace

bool diverges_after(const TimedKernel& kernel, BlockIndex block) {
    const std::size_t branch = block_at(*kernel.graph, block).last;
    const std::int64_t last = kernel.function->instructions[branch].address;
    const auto& facts = kernel.stated->divergents;
    return std::any_of(facts.begin(), facts.end(),
                       [&](const auto& fact) { return fact.at == last; });
}

std::set<BlockIndex> next_blocks(const TimedKernel& kernel, BlockIndex block) {
    const assembly::ControlFlowGraph& graph = *kernel.graph;
    std::set<BlockIndex> next;
    for (const std::size_t edge : block_at(graph, block).out)
        if (const BlockIndex to = to_block(graph.edges[edge]); !kernel.facts.never[to])
            next.insert(to);
    return next;
}

PerBlock<bool> ending_blocks(const TimedKernel& kernel) {
    const auto& graph = *kernel.graph;
    PerBlock<bool> ends(graph.blocks.size(), false);
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t left = graph.blocks.size(); left-- > 0;) {
            const BlockIndex block{left};
            if (ends[block] || kernel.facts.never[block]) continue;
            const std::set<BlockIndex> next = next_blocks(kernel, block);
            ends[block] = block_at(graph, block).exits ||
                          std::any_of(next.begin(), next.end(), [&](auto to) { return ends[to]; });
            grows = grows || ends[block];
        }
    }
    return ends;
}

PerBlock<std::optional<BlockIndex>> post_dominators_of(const assembly::ControlFlowGraph& graph) {
    PerBlock<std::optional<BlockIndex>> found;
    for (const auto& block : assembly::immediate_post_dominators(graph))
        found.push_back(block ? std::optional{BlockIndex{*block}} : std::nullopt);
    return found;
}

std::size_t set_nodes_at(const TimedKernel& kernel, BlockIndex block,
                         const std::optional<BlockIndex>& meeting) {
    const std::set<BlockIndex> paths = next_blocks(kernel, block);
    if (paths.size() <= 2 || !diverges_after(kernel, block)) return 0;
    if (paths.size() > most_paths) return std::numeric_limits<std::size_t>::max();
    std::size_t blocks = 0;
    for (const BlockIndex path : paths)
        blocks += blocks_between(kernel, path, block, meeting);
    return blocks << (paths.size() - 1);
}

std::set<std::size_t> sizes_of_sets(const TimedKernel& kernel) {
    const auto meetings = post_dominators_of(*kernel.graph);
    std::set<std::size_t> sizes;
    for (const BlockIndex block : meetings.indices())
        sizes.insert(set_nodes_at(kernel, block, meetings[block]));
    return sizes;
}

} // namespace warpbound::analyzer
