#include "analyzer/policies/exact/exact_demand.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// So that sums of all of them can be counted.
constexpr std::int64_t longest = std::int64_t{1} << 40U;

/// What an instruction leaves behind when nothing was outstanding.
PipelineState left_by(const PipelineModel& rules, const PathStep& step) {
    PipelineState state = rules.start();
    rules.issue(state, step.instruction, 0);
    rules.leave(state, step.instruction, step.transferred);
    return state;
}

/// Whether a slot is the time of completion, for which no instruction waits.
bool completes(const PipelineModel& rules, std::size_t slot) {
    PipelineState state = rules.start();
    state[slot] = 2;
    return rules.completion(state) == 2;
}

Shared port_of(const AnalysisContext& context, const PortUse& use) {
    if (!use.executes) return Shared::Not;
    switch (context.request.architecture->units[use.unit].scope) {
    case models::UnitScope::Warp:
        return Shared::Not;
    case models::UnitScope::Partition:
        return Shared::ByScheduler;
    default:
        return Shared::ByMultiprocessor;
    }
}

std::optional<ExactDemand> exact_step(const AnalysisContext& context, const PipelinePair& rules,
                                      const PathStep& step) {
    const auto& timing = context.timings[step.instruction].value();
    const PortUse use = rules.upper.port_use(step.instruction);
    const PortUse least = rules.lower.port_use(step.instruction);
    const PipelineState left = left_by(rules.upper, step);
    if (use.executes != least.executes || use.occupancy != least.occupancy ||
        left != left_by(rules.lower, step) ||
        rules.upper.completion(left) != rules.lower.completion(left))
        return std::nullopt;
    if (left[PipelineModel::gap_slot] == 0 || timing.through_caches) return std::nullopt;
    ExactDemand exact{step, use.unit, port_of(context, use), use.occupancy, false, 0};
    if (timing.enters_write_buffer && use.executes) {
        if (!timing.passes.is_exact() || !context.buffer_drain.is_exact() ||
            !context.buffer_entries.is_exact())
            return std::nullopt;
        exact.enters_buffer = true;
        exact.drain = models::times(context.buffer_drain.hi, timing.passes.hi);
    }
    const std::int64_t largest =
        std::max({exact.occupancy, exact.drain, *std::max_element(left.begin(), left.end())});
    if (largest > longest) return std::nullopt;
    return exact;
}

} // namespace

std::optional<std::vector<ExactDemand>> exact_demand(const AnalysisContext& context,
                                                     const PipelinePair& rules,
                                                     const std::vector<PathStep>& path) {
    std::vector<ExactDemand> steps;
    steps.reserve(path.size());
    for (const PathStep& step : path) {
        const auto exact = exact_step(context, rules, step);
        if (!exact) return std::nullopt;
        steps.push_back(*exact);
    }
    return steps;
}

std::vector<std::size_t> slots_to_wait_for(const PipelinePair& rules,
                                           const std::vector<PathStep>& path) {
    // While no time passes nothing is sooner over than in a run.
    std::vector<bool> used(rules.upper.size(), false);
    PipelineState state = rules.upper.start();
    for (const PathStep& step : path) {
        rules.upper.issue(state, step.instruction, 0);
        rules.upper.leave(state, step.instruction, step.transferred);
        for (std::size_t slot = 0; slot < state.size(); ++slot)
            if (state[slot] != 0) used[slot] = true;
    }
    used[PipelineModel::gap_kind_slot] = false;
    std::vector<std::size_t> slots;
    for (std::size_t slot = 0; slot < used.size(); ++slot)
        if (used[slot] && !completes(rules.upper, slot)) slots.push_back(slot);
    return slots;
}

} // namespace warpbound::analyzer
