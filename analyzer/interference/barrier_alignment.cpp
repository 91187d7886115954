#include "analyzer/interference/barrier_alignment.hpp"

#include "analyzer/interference/resource_demand.hpp"

#include <fmt/format.h>

namespace warpbound::analyzer {

bool is_barrier(const Problem& problem, std::size_t instruction) {
    return problem.used[instruction] && problem.timings[instruction] &&
           problem.timings[instruction].value().is_barrier_wait;
}

const assembly::Instruction* meeting_barrier(const Problem& problem) {
    if (problem.shape.warps_per_block == 1) return nullptr;
    for (std::size_t i = 0; i < problem.used.size(); ++i)
        if (is_barrier(problem, i)) return &problem.request.function->instructions[i];
    return nullptr;
}

Result<std::int64_t> common_barriers(const Problem& problem) {
    const auto& blocks = problem.request.graph->blocks;
    models::Cycles passed{0};
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        std::int64_t barriers = 0;
        std::size_t last = 0;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            if (!is_barrier(problem, i)) continue;
            ++barriers;
            last = i;
            if (assembly::is_guarded(problem.request.function->instructions[i]))
                return refuse_at(problem, i,
                                 "a guarded barrier is not bounded: warps of a block could differ");
        }
        if (barriers == 0 || problem.facts.never[block]) continue;
        std::vector<std::int64_t> visits(blocks.size(), 0);
        visits[block] = 1;
        const std::int64_t fewest = extreme_sum(problem, visits, Side::Lower);
        const std::int64_t most = extreme_sum(problem, visits, Side::Upper);
        if (fewest != most)
            return refuse_at(
                problem, last,
                fmt::format("paths pass this barrier {} to {} times; all warps of a "
                            "block must pass it equally often, and the flow facts must "
                            "say so",
                            fewest, most));
        passed += models::Cycles{barriers} * most;
    }
    return passed.count();
}

} // namespace warpbound::analyzer
