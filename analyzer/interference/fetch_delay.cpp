#include "analyzer/interference/fetch_delay.hpp"

#include "analyzer/interference/barrier_alignment.hpp"
#include "analyzer/launch/slot_table.hpp"
#include "models/units.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

using models::times;

std::int64_t schedulers_in_use(const LaunchGeometry& shape) {
    return std::min(shape.schedulers, shape.resident * shape.warps_per_block);
}

} // namespace

Visited visited_by_critical_path(const LaunchGeometry& shape, std::int64_t barriers) {
    Visited visited;
    if (shape.waves() > 1 && shape.multiprocessors > 1) visited.multiprocessors = 2;
    if (shape.waves() > 1 || barriers > 0)
        visited.schedulers = times(visited.multiprocessors, schedulers_in_use(shape));
    return visited;
}

namespace {

/// Under time division a wait that no gap contains may end within a slot of another warp. A gap of
/// at least 1 counts as a whole slot distance in the path of the warp, which covers that (S50).
std::int64_t longest_wait_for_slot(const AnalysisContext& context) {
    const auto slots = slots_of_any_warp(context.request.policy, context.shape);
    if (!slots) return 0;
    for (std::size_t i = 0; i < context.used.size(); ++i) {
        if (!context.used[i] || !context.timings[i]) continue;
        const models::InstructionTiming& timing = context.timings[i].value();
        if (timing.gap.lo == 0 || timing.gap_taken.lo == 0) return slots->longest - 1;
    }
    return 0;
}

/// Misses of the L1 that are waited for one after the other, where the lines persist there.
std::int64_t misses_one_after_the_other(const AnalysisContext& context, const Visited& visited) {
    const InstructionLines& lines = context.instruction_lines.value();
    const std::int64_t each_once = times(visited.multiprocessors, lines.executed);
    if (!lines.persist_in_l0) return each_once;
    // Other policies let a warp wait while another one waits for its line.
    const bool of_any_warp =
        models::guarantee_of(context.request.policy) != models::PolicyGuarantee::WorkConserving;
    return std::min(each_once, times(visited.schedulers,
                                     serial_misses(lines.chains, lines.stream, of_any_warp)));
}

} // namespace

Result<std::vector<BoundTerm>> fetch_delay(const AnalysisContext& context) {
    const InstructionLines& lines = context.instruction_lines.value();
    if (lines.never_miss()) return std::vector<BoundTerm>{};
    const LaunchGeometry& shape = context.shape;
    const auto barriers = barriers_of_block(context);
    if (!barriers) return barriers.as_failure();
    const Visited visited = visited_by_critical_path(shape, barriers.value().most);
    const std::int64_t until_slot = longest_wait_for_slot(context);
    std::vector<BoundTerm> terms;
    const auto add = [&](const char* text, std::int64_t count, std::int64_t cycles) {
        if (count > 0 && cycles > 0) terms.push_back({text, count, cycles});
    };
    if (lines.persist_in_l0) {
        add("instruction fetch: the first use of a line by a scheduler",
            times(visited.schedulers, lines.count),
            models::plus(lines.l0_miss.hi, lines.persist_in_l1 ? 0 : lines.l1_miss.hi));
        add("instruction fetch: wait for a slot after the first use of a line by a scheduler",
            times(visited.schedulers, lines.count), until_slot);
        const std::int64_t requests =
            times(times(lines.count, lines.stream.hi + 1),
                  times(visited.multiprocessors, schedulers_in_use(shape)));
        add("instruction fetch: requests that the L1 instruction cache serves before", requests,
            lines.service.hi);
    } else {
        add("instruction fetch: the first line of a block on the critical path", shape.waves(),
            lines.wait);
    }
    if (lines.persist_in_l1 && !lines.are_warm)
        add("instruction fetch: misses of the L1 instruction cache, one after the other",
            misses_one_after_the_other(context, visited), lines.l1_miss.hi);
    if (!lines.persist_in_l0 && lines.persist_in_l1 && !lines.are_warm)
        add("instruction fetch: wait for a slot after the first use of a line by a multiprocessor",
            times(visited.multiprocessors, lines.executed), until_slot);
    return terms;
}

} // namespace warpbound::analyzer
