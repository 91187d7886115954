#include "analyzer/policies/exact/exact_demand.hpp"

#include <algorithm>

namespace warpbound::analyzer {

namespace {

/// Limit that keeps sums over a path below 2^63.
constexpr std::int64_t longest = std::int64_t{1} << 40U;

/// Pipeline state after one instruction that issues with nothing outstanding.
PipelineState state_after(const PipelineModel& pipelines, const PathStep& step) {
    PipelineState state = pipelines.start();
    pipelines.issue(state, step.instruction, 0);
    pipelines.leave(state, step.instruction, step.transferred);
    return state;
}

/// Whether a state component is the time of completion, which no instruction waits for.
bool is_completion(const PipelineModel& pipelines, std::size_t component) {
    PipelineState state = pipelines.start();
    state[component] = 2;
    return pipelines.completion(state) == 2;
}

Shared port_of(const TimedKernel& kernel, const PortUse& use) {
    if (!use.executes) return Shared::Not;
    switch (kernel.architecture->units[use.unit].scope) {
    case models::UnitScope::Warp:
        return Shared::Not;
    case models::UnitScope::Partition:
        return Shared::ByScheduler;
    default:
        return Shared::ByMultiprocessor;
    }
}

std::optional<ExactDemand> exact_demand_of(const TimedKernel& kernel, const PipelinePair& pipelines,
                                           const PathStep& step) {
    const auto& timing = kernel.timings[step.instruction].value();
    const PortUse use = pipelines.upper.port_use(step.instruction);
    const PortUse least = pipelines.lower.port_use(step.instruction);
    const PipelineState left = state_after(pipelines.upper, step);
    if (use.executes != least.executes || use.occupancy != least.occupancy ||
        left != state_after(pipelines.lower, step) ||
        pipelines.upper.completion(left) != pipelines.lower.completion(left))
        return std::nullopt;
    if (left[PipelineModel::gap_component] == 0 || timing.through_caches) return std::nullopt;
    ExactDemand exact{step, use.unit, port_of(kernel, use), use.occupancy, false, 0};
    if (timing.enters_write_buffer && use.executes) {
        const models::Interval drains = models::drain_of_store(timing, kernel.write_buffer.drain);
        if (!timing.passes.is_exact() || !drains.is_exact() ||
            !kernel.write_buffer.entries.is_exact())
            return std::nullopt;
        exact.enters_buffer = true;
        exact.drain = drains.hi;
    }
    const std::int64_t largest =
        std::max({exact.occupancy, exact.drain, *std::max_element(left.begin(), left.end())});
    if (largest > longest) return std::nullopt;
    return exact;
}

} // namespace

std::optional<std::vector<ExactDemand>> exact_demand(const TimedKernel& kernel,
                                                     const PipelinePair& pipelines,
                                                     const std::vector<PathStep>& path) {
    std::vector<ExactDemand> steps;
    steps.reserve(path.size());
    for (const PathStep& step : path) {
        const auto exact = exact_demand_of(kernel, pipelines, step);
        if (!exact) return std::nullopt;
        steps.push_back(*exact);
    }
    return steps;
}

std::vector<std::size_t> awaited_components(const PipelinePair& pipelines,
                                            const std::vector<PathStep>& path) {
    // Without elapsed time every occupancy lasts at least as long as in a run.
    std::vector<bool> used(pipelines.upper.size(), false);
    PipelineState state = pipelines.upper.start();
    for (const PathStep& step : path) {
        pipelines.upper.issue(state, step.instruction, 0);
        pipelines.upper.leave(state, step.instruction, step.transferred);
        for (std::size_t component = 0; component < state.size(); ++component)
            if (state[component] != 0) used[component] = true;
    }
    used[PipelineModel::gap_kind_component] = false;
    std::vector<std::size_t> components;
    for (std::size_t component = 0; component < used.size(); ++component)
        if (used[component] && !is_completion(pipelines.upper, component))
            components.push_back(component);
    return components;
}

} // namespace warpbound::analyzer
