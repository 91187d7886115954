#include "analyzer/divergence/branch_paths.hpp"

#include "assembly/flow/post_dominators.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace warpbound::analyzer {

namespace {

constexpr std::size_t most_paths = 10; ///< Of a branch, told apart in sets.

/// Blocks that lanes may come to from `from` on, in front of the other two.
std::size_t blocks_between(const AnalysisContext& context, std::size_t from, std::size_t branch,
                           const std::optional<std::size_t>& meeting) {
    std::set<std::size_t> seen{branch};
    if (meeting) seen.insert(*meeting);
    if (!seen.insert(from).second) return 0;
    std::size_t blocks = 0;
    std::vector<std::size_t> work{from};
    while (!work.empty()) {
        const std::size_t block = work.back();
        work.pop_back();
        ++blocks;
        for (const std::size_t next : next_blocks(context, block))
            if (seen.insert(next).second) work.push_back(next);
    }
    return blocks;
}

} // namespace

bool diverges_after(const AnalysisContext& context, std::size_t block) {
    const std::int64_t last =
        context.kernel.function->instructions[context.kernel.graph->blocks[block].last].address;
    const auto& facts = context.kernel.stated->divergents;
    return std::any_of(facts.begin(), facts.end(),
                       [&](const auto& fact) { return fact.at == last; });
}

std::set<std::size_t> next_blocks(const AnalysisContext& context, std::size_t block) {
    const assembly::ControlFlowGraph& graph = *context.kernel.graph;
    std::set<std::size_t> next;
    for (const std::size_t edge : graph.blocks[block].out)
        if (const std::size_t to = graph.edges[edge].to;
            !context.kernel.facts.never[assembly::BlockIndex{to}])
            next.insert(to);
    return next;
}

std::vector<bool> ending_blocks(const AnalysisContext& context) {
    const auto& blocks = context.kernel.graph->blocks;
    std::vector<bool> ends(blocks.size(), false);
    for (bool grows = true; grows;) {
        grows = false;
        for (std::size_t block = blocks.size(); block-- > 0;) {
            if (ends[block] || context.kernel.facts.never[assembly::BlockIndex{block}]) continue;
            const std::set<std::size_t> next = next_blocks(context, block);
            ends[block] = blocks[block].exits ||
                          std::any_of(next.begin(), next.end(), [&](auto to) { return ends[to]; });
            grows = grows || ends[block];
        }
    }
    return ends;
}

std::size_t set_nodes_at(const AnalysisContext& context, std::size_t block,
                         const std::optional<std::size_t>& meeting) {
    const std::set<std::size_t> paths = next_blocks(context, block);
    if (paths.size() <= 2 || !diverges_after(context, block)) return 0;
    if (paths.size() > most_paths) return std::numeric_limits<std::size_t>::max();
    std::size_t blocks = 0;
    for (const std::size_t path : paths)
        blocks += blocks_between(context, path, block, meeting);
    return blocks << (paths.size() - 1);
}

std::set<std::size_t> sizes_of_sets(const AnalysisContext& context) {
    const auto meetings = assembly::immediate_post_dominators(*context.kernel.graph);
    std::set<std::size_t> sizes;
    for (std::size_t block = 0; block < meetings.size(); ++block)
        sizes.insert(set_nodes_at(context, block, meetings[block]));
    return sizes;
}

} // namespace warpbound::analyzer
