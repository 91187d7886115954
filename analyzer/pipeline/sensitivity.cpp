#include "analyzer/pipeline/sensitivity.hpp"

#include "analyzer/pipeline/latency.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::PipelineSystem;

/// Whether every stated deadline is met; false when none is stated.
bool deadlines_met(const PipelineSystem& system) {
    const SystemLatency latency = bound_latency(system);
    bool stated = false;
    for (std::size_t p = 0; p < system.pipelines.size(); ++p) {
        const auto verdict = verdict_on(system.pipelines[p], latency.pipelines[p]);
        if (!verdict) continue;
        stated = true;
        if (*verdict != models::DeadlineVerdict::Met) return false;
    }
    return stated;
}

/// The last value from `good` towards `bad` that holds. Requires: `good` holds; as soon as a value
/// does not, none beyond it does.
template <typename Holds>
std::int64_t last_that_holds(std::int64_t good, std::int64_t bad, Holds&& holds) {
    while (good + (bad > good ? 1 : -1) != bad && good != bad) {
        const std::int64_t middle = good + (bad - good) / 2;
        (holds(middle) ? good : bad) = middle;
    }
    return good;
}

} // namespace

std::optional<Sensitivity> sensitivity(const PipelineSystem& system) {
    if (!deadlines_met(system)) return std::nullopt;
    Sensitivity found;
    // No stage that a deadline depends on can take longer than the longest deadline.
    std::int64_t longest = 1;
    for (const auto& pipeline : system.pipelines)
        if (pipeline.deadline) longest = std::max(longest, pipeline.deadline->count());
    PipelineSystem changed = system;
    for (std::size_t p = 0; p < system.pipelines.size(); ++p)
        for (std::size_t i = 0; i < system.pipelines[p].stages.size(); ++i) {
            const auto time = *system.pipelines[p].stages[i].time;
            auto& tried = changed.pipelines[p].stages[i].time;
            const auto holds = [&](std::int64_t upper) {
                tried.emplace(time.lower(), models::Nanoseconds{upper});
                return deadlines_met(changed);
            };
            StageSlack slack{p, i, time.upper().count(), 0, false};
            const std::int64_t beyond = std::max(slack.now, longest) + 1;
            slack.is_open = holds(beyond);
            slack.most = slack.is_open ? beyond : last_that_holds(slack.now, beyond, holds);
            tried = time;
            found.stages.push_back(slack);
        }
    for (std::size_t p = 0; p < system.pipelines.size(); ++p) {
        const std::int64_t now = system.pipelines[p].distance.count();
        found.rates.push_back({p, now, last_that_holds(now, 0, [&](std::int64_t distance) {
                                   changed.pipelines[p].distance = models::Nanoseconds{distance};
                                   return deadlines_met(changed);
                               })});
        changed.pipelines[p].distance = system.pipelines[p].distance;
    }
    const bool has_cycles = std::any_of(
        system.pipelines.begin(), system.pipelines.end(), [](const models::Pipeline& pipeline) {
            return std::any_of(pipeline.stages.begin(), pipeline.stages.end(),
                               [](const auto& stage) { return stage.cycles.has_value(); });
        });
    if (has_cycles && system.clock)
        found.lowest_clock = last_that_holds(system.clock->lo, 0, [&](std::int64_t hertz) {
            try {
                models::use_clock(changed, {hertz, system.clock->hi});
            } catch (const std::overflow_error&) { // A time beyond 2^63 ns.
                return false;
            }
            return deadlines_met(changed);
        });
    return found;
}

} // namespace warpbound::analyzer
