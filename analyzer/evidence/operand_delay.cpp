#include "analyzer/evidence/operand_delay.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/interference/fetch_delay.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using models::times;

/// The look-ups of a path whose lines may have been replaced, each with so many cycles.
BoundTerm look_ups(const TimedKernel& kernel, const AnalysisRun& run, const char* text,
                   std::int64_t count, const CertificateName& sum, std::int64_t cycles) {
    const OperandLines& lines = *kernel.delivery.operands;
    const auto costs = per_instruction(kernel, [&](std::size_t i, const auto& /*timing*/) {
        return lines.may_be_replaced[i] ? cycles : 0;
    });
    if (count == 0 || std::all_of(costs.begin(), costs.end(), [](auto cost) { return cost == 0; }))
        return {text, 0, 0};
    return {text, count, certified_most(kernel, run, sum, costs), sum.id};
}

BoundTerm own_look_ups(const TimedKernel& kernel, const AnalysisRun& run, std::int64_t blocks) {
    return look_ups(kernel, run,
                    "constant operands: look-ups of a block on the critical path, of lines that "
                    "may have been replaced",
                    blocks,
                    {"execution-time-upper-operand-waits",
                     "waits of a warp for constant operands that may have been replaced"},
                    kernel.delivery.operands->miss);
}

/// Warps, but for that of the critical path, whose look-ups may hold its scheduler.
models::Warps holding_warps(const LaunchGeometry& shape, std::int64_t barriers) {
    if (shape.waves() > 1) return shape.warps_along_critical_path();
    const models::Warps warps = std::min(shape.blocks, shape.resident) * shape.warps_per_block;
    return barriers > 0 ? warps : shape.on_one_scheduler(warps) - models::Warps{1};
}

/// The blocks of the two clock reads and those on a path from the first to the last.
PerBlock<bool> blocks_between(const TimedKernel& kernel, const ClockRegion& region) {
    const auto& graph = *kernel.graph;
    const PerBlock<bool> is_outside = outside(graph, kernel.facts.never, region);
    PerBlock<bool> passed(graph.blocks.size(), false);
    std::vector<BlockIndex> work{region.first_block};
    passed[region.first_block] = true;
    while (!work.empty()) {
        const BlockIndex block = work.back();
        work.pop_back();
        if (block == region.last_block) continue;
        for (const std::size_t edge : block_at(graph, block).out) {
            const BlockIndex to = to_block(graph.edges[edge]);
            if (is_outside[to] || passed[to]) continue;
            passed[to] = true;
            work.push_back(to);
        }
    }
    return passed;
}

void add(std::vector<BoundTerm>& terms, BoundTerm term) {
    if (term.count > 0 && term.cycles > 0) terms.push_back(std::move(term));
}

} // namespace

Result<std::vector<BoundTerm>>
operand_delay(const TimedKernel& kernel, const ScheduledLaunch& launch, const AnalysisRun& run) {
    const OperandLines& lines = kernel.delivery.operands.value();
    std::vector<BoundTerm> terms;
    if (!lines.may_miss()) return terms;
    const LaunchGeometry& shape = launch.shape;
    const auto barriers = barriers_of_block(kernel, launch.shape);
    if (!barriers) return barriers.as_failure();
    const Visited visited = visited_by_critical_path(launch, barriers.value().most);
    const std::vector<bool> all(lines.of_instruction.size(), true);
    add(terms, {"constant operands: the first use of a line by a scheduler",
                times(visited.schedulers, lines.first_uses(all)), lines.miss});
    add(terms, own_look_ups(kernel, run, times(shape.waves(), 1 + barriers.value().early_ends)));
    add(terms,
        look_ups(
            kernel, run, "constant operands: look-ups of another warp that hold its scheduler",
            holding_warps(shape, barriers.value().most).count(),
            {"execution-time-upper-operand-holds", "holds of a scheduler by look-ups of a warp"},
            lines.hold));
    return terms;
}

std::vector<BoundTerm> operand_delay_between(const TimedKernel& kernel, const AnalysisRun& run,
                                             const ClockRegion& region) {
    const OperandLines& lines = kernel.delivery.operands.value();
    const auto& graph = *kernel.graph;
    const PerBlock<bool> is_passed = blocks_between(kernel, region);
    std::vector<bool> between(lines.of_instruction.size(), false);
    bool may_be_replaced = false;
    for (const BlockIndex block : all_blocks(graph)) {
        if (!is_passed[block]) continue;
        const bool is_first = block == region.first_block;
        const bool is_last = block == region.last_block;
        const std::size_t from = is_first ? region.first + 1 : block_at(graph, block).first;
        const std::size_t to = is_last ? region.last : block_at(graph, block).last + 1;
        for (std::size_t i = from; i < to; ++i) {
            between[i] = true;
            may_be_replaced = may_be_replaced || lines.may_be_replaced[i];
        }
    }
    std::vector<BoundTerm> terms;
    add(terms, {"constant operands: the first use of a line between the clock reads",
                lines.first_uses(between), lines.miss});
    if (may_be_replaced) add(terms, own_look_ups(kernel, run, 1));
    return terms;
}

} // namespace warpbound::analyzer
