#include "analyzer/flow/warp_executions.hpp"

#include "analyzer/flow/divergent_definitions.hpp"
#include "analyzer/value/kernel_parameters.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

namespace warpbound::analyzer {

namespace {

using Index = std::array<std::int64_t, 3>;

/// Loops that iterate longer count as without a bound.
constexpr ExecutionLimits limits{std::int64_t{1} << 15U, std::int64_t{1} << 16U};

/// Of a thread, by its number in the block, x counted first.
Index index_of(std::int64_t thread, const Index& extents) {
    return {thread % extents[0], thread / extents[0] % extents[1],
            thread / extents[0] / extents[1]};
}

/// The least box with these threads. A dimension is whole where a larger one changes.
IndexBox box_of(std::int64_t first, std::int64_t last, const Index& extents) {
    IndexBox box;
    box.first_thread = index_of(first, extents);
    box.last_thread = index_of(last, extents);
    for (std::size_t dimension = 2; dimension > 0; --dimension) {
        if (box.first_thread[dimension] == box.last_thread[dimension]) continue;
        for (std::size_t inner = 0; inner < dimension; ++inner) {
            box.first_thread[inner] = 0;
            box.last_thread[inner] = extents[inner] - 1;
        }
        break;
    }
    return box;
}

/// Registers of the warp that some lanes may write while others wait (S32a); none: it is not known
/// where lanes reconverge.
std::optional<std::set<assembly::Register>>
written_while_others_wait(const assembly::Function& function,
                          const assembly::ControlFlowGraph& graph, const models::FlowFacts& facts) {
    std::set<std::size_t> divergent;
    for (std::size_t block = 0; block < graph.blocks.size(); ++block)
        if (facts.is_divergent(function.instructions[graph.blocks[block].last].address))
            divergent.insert(block);
    auto definitions = divergent_definitions(function, graph, divergent);
    if (!definitions) return std::nullopt;
    return std::move(definitions->shared);
}

/// The threads of a block by their indices, and what they execute.
struct ThreadsOfBlock {
    assembly::Function code;
    std::set<assembly::Register> shared;
    Index extents;

    [[nodiscard]] std::int64_t count() const { return extents[0] * extents[1] * extents[2]; }
    /// From one number to another, inclusive.
    AbstractRun run(AbstractExecution& execution, const models::Launch& launch,
                    const assembly::ControlFlowGraph& graph, std::int64_t first,
                    std::int64_t last) const {
        return execution.run(ranges_of_geometry(launch, box_of(first, last, extents)), limits,
                             std::vector<bool>(graph.loops.size(), false));
    }
};

/// Nothing where the code asks for a shape that the launch leaves open, or reconvergence is not
/// known.
std::optional<ThreadsOfBlock> threads_of_block(const assembly::Function& function,
                                               const assembly::ControlFlowGraph& graph,
                                               const models::FlowFacts& facts,
                                               const models::Launch& launch) {
    const bool knows_shape = launch.shape || !reads_block_shape(function);
    if (!knows_shape || is_amd(function.target)) return std::nullopt;
    auto shared = written_while_others_wait(function, graph, facts);
    if (!shared) return std::nullopt;
    return ThreadsOfBlock{with_parameters(function, launch_words(function, launch)),
                          std::move(*shared), models::block_shape_of(launch).threads};
}

} // namespace

std::vector<ExecutionCounts>
executions_by_warp(const assembly::Function& function, const assembly::ControlFlowGraph& graph,
                   const models::FlowFacts& facts, const models::Launch& launch,
                   std::int64_t warp_size, const std::vector<bool>& counted) {
    const auto block = threads_of_block(function, graph, facts, launch);
    if (!block) return {};
    const std::int64_t threads = block->count();
    AbstractExecution execution{block->code, graph, block->shared, counted};
    const auto counts_of = [&](std::int64_t first, std::int64_t last) {
        block->run(execution, launch, graph, first, last);
        return execution.counts();
    };
    const ExecutionCounts of_all = counts_of(0, threads - 1);
    const std::int64_t last_warp = (threads - 1) / warp_size * warp_size;
    // Mostly these differ, or none do.
    if (counts_of(last_warp, threads - 1) == of_all) return {};
    std::vector<ExecutionCounts> counts;
    for (std::int64_t first = 0; first < threads; first += warp_size)
        counts.push_back(counts_of(first, std::min(first + warp_size, threads) - 1));
    return counts;
}

std::vector<WarpWays> ways_by_warp(const assembly::Function& function,
                                   const assembly::ControlFlowGraph& graph,
                                   const models::FlowFacts& facts, const models::Launch& launch,
                                   std::int64_t warp_size) {
    const auto block = threads_of_block(function, graph, facts, launch);
    if (!block) return {};
    const std::int64_t threads = block->count();
    AbstractExecution execution{block->code, graph, block->shared};
    const auto run_of = [&](std::int64_t first, std::int64_t last) {
        return block->run(execution, launch, graph, first, last);
    };
    std::vector<WarpWays> ways;
    for (std::int64_t first = 0; first < threads; first += warp_size)
        ways.push_back(
            {run_of(first, std::min(first + warp_size, threads) - 1), run_of(first, first)});
    return ways;
}

} // namespace warpbound::analyzer
