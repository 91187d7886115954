#include "analyzer/interference/barrier_alignment.hpp"

#include "analyzer/interference/resource_demand.hpp"

#include <fmt/format.h>

namespace warpbound::analyzer {

bool is_barrier(const AnalysisContext& context, std::size_t instruction) {
    return context.used[instruction] && context.timings[instruction] &&
           context.timings[instruction].value().is_barrier_wait;
}

const assembly::Instruction* first_common_barrier(const AnalysisContext& context) {
    if (context.shape.warps_per_block == 1) return nullptr;
    for (std::size_t i = 0; i < context.used.size(); ++i)
        if (is_barrier(context, i)) return &context.request.function->instructions[i];
    return nullptr;
}

Result<std::int64_t> aligned_barriers(const AnalysisContext& context) {
    const auto& blocks = context.request.graph->blocks;
    models::Cycles executed{0};
    for (std::size_t block = 0; block < blocks.size(); ++block) {
        std::int64_t barriers = 0;
        std::size_t last = 0;
        for (std::size_t i = blocks[block].first; i <= blocks[block].last; ++i) {
            if (!is_barrier(context, i)) continue;
            ++barriers;
            last = i;
            if (assembly::is_guarded(context.request.function->instructions[i]))
                return refuse_at(context, i,
                                 "a guarded barrier is not bounded: warps of a block could differ");
        }
        if (barriers == 0 || context.facts.never[block]) continue;
        std::vector<std::int64_t> visits(blocks.size(), 0);
        visits[block] = 1;
        const std::int64_t fewest = extreme_sum(context, visits, Side::Lower);
        const std::int64_t most = extreme_sum(context, visits, Side::Upper);
        if (fewest != most)
            return refuse_at(
                context, last,
                fmt::format("paths pass this barrier {} to {} times; all warps of a "
                            "block must pass it equally often, and the flow facts must "
                            "say so",
                            fewest, most));
        executed += models::Cycles{barriers} * most;
    }
    return executed.count();
}

} // namespace warpbound::analyzer
