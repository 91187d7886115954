#include "analyzer/interference/barrier_alignment.hpp"

#include "analyzer/interference/resource_demand.hpp"
#include "assembly/isa/branch_guard.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::analyzer {

bool is_barrier(const TimedKernel& kernel, std::size_t instruction) {
    return kernel.used[instruction] && kernel.timings[instruction] &&
           kernel.timings[instruction].value().is_barrier_wait;
}

const assembly::Instruction* first_common_barrier(const TimedKernel& kernel,
                                                  const LaunchGeometry& shape) {
    if (shape.has_single_warp_blocks()) return nullptr;
    for (std::size_t i = 0; i < kernel.used.size(); ++i)
        if (is_barrier(kernel, i)) return &kernel.function->instructions[i];
    return nullptr;
}

Result<BlockBarriers> barriers_of_block(const TimedKernel& kernel, const LaunchGeometry& shape) {
    BlockBarriers found;
    if (shape.has_single_warp_blocks()) return found;
    const auto& blocks = kernel.graph->blocks;
    PerBlock<std::int64_t> executions(blocks.size(), 0);
    for (const BlockIndex block : executions.indices()) {
        if (kernel.facts.never[block]) continue;
        const assembly::BasicBlock& code = block_at(*kernel.graph, block);
        for (std::size_t i = code.first; i <= code.last; ++i) {
            if (!is_barrier(kernel, i)) continue;
            ++executions[block];
            if (!assembly::is_guarded(kernel.function->instructions[i])) continue;
            if (!assembly::barrier_if_taken(*kernel.function, i, code.last))
                return refuse_at(*kernel.function, i,
                                 "a guarded barrier is not bounded: warps of a block could differ; "
                                 "expected a branch with the same guard behind it");
            found.on_all_paths = false;
            if (!found.guarded) found.guarded = i;
        }
        if (executions[block] == 0) continue;
        PerBlock<std::int64_t> visits(blocks.size(), 0);
        visits[block] = 1;
        found.on_all_paths = found.on_all_paths && extreme_sum(kernel, visits, Side::Lower) ==
                                                       extreme_sum(kernel, visits, Side::Upper);
    }
    found.most = extreme_sum(kernel, executions, Side::Upper);
    if (found.most == 0) return found;
    const models::BarrierRule& rule = kernel.facts.barriers;
    if (rule.ends_before)
        found.early_ends =
            rule.ends_between ? std::min(found.most, shape.warps_per_block.count() - 1) : 1;
    return found;
}

Result<BlockBarriers> barriers_without_early_ends(const TimedKernel& kernel,
                                                  const ScheduledLaunch& launch) {
    auto barriers = barriers_of_block(kernel, launch.shape);
    if (barriers && barriers.value().guarded)
        return refuse_at(*kernel.function, *barriers.value().guarded,
                         fmt::format("a guarded barrier is not bounded under policy {}; choose a "
                                     "work-conserving policy",
                                     models::to_string(launch.policy)));
    if (!barriers || barriers.value().early_ends == 0) return barriers;
    return Failure{fmt::format("threads of {} may end before a barrier that others of their block "
                               "pass, which is not bounded under policy {}; state the kernel "
                               "parameters on which this depends in the launch, or choose a "
                               "work-conserving policy",
                               kernel.function->name, models::to_string(launch.policy)),
                   kernel.function->name};
}

std::vector<std::int64_t> branches_by_barrier_rule(const TimedKernel& kernel,
                                                   const LaunchGeometry& shape) {
    std::vector<std::int64_t> branches;
    if (first_common_barrier(kernel, shape) == nullptr) return branches;
    const auto& graph = *kernel.graph;
    const models::BarrierRule& rule = kernel.facts.barriers;
    // The only exit of a loop with a known number of iterations is decided by the code.
    const auto is_counted = [&](std::size_t block) {
        const auto loop = graph.innermost_loop[block];
        if (!loop || graph.loops[*loop].exit_edges.size() != 1 ||
            graph.edges[graph.loops[*loop].exit_edges.front()].from != block)
            return false;
        const auto* fact = kernel.stated->loop_at(graph.blocks[graph.loops[*loop].header].address);
        return fact != nullptr && fact->min == fact->max &&
               (fact->from.status == models::FactStatus::Proved ||
                (fact->from.line == 0 && (fact->from.origin == models::FactOrigin::Arguments ||
                                          fact->from.origin == models::FactOrigin::Statements)));
    };
    for (std::size_t block = 0; block < graph.blocks.size(); ++block) {
        const std::int64_t at = kernel.function->instructions[graph.blocks[block].last].address;
        if (rule.decides[block] && !is_counted(block) &&
            std::find(branches.begin(), branches.end(), at) == branches.end())
            branches.push_back(at);
    }
    return branches;
}

} // namespace warpbound::analyzer
