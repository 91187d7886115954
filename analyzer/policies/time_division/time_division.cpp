#include "analyzer/policies/time_division/time_division.hpp"

#include "analyzer/evidence/path_certificates.hpp"
#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/policies/exact/schedule_exploration.hpp"
#include "analyzer/policies/exact/schedule_simulation.hpp"
#include "analyzer/policies/time_division/certified_terms.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"
#include "analyzer/policies/time_division/queue_slots.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

struct ScheduleTimes {
    models::Cycles lower{0};
    models::Cycles upper{0};
    bool explored = false;    ///< Over all orders of issue within a cycle.
    std::int64_t steps = 0;   ///< Of the exploration.
    std::int64_t numbers = 0; ///< Of its states.
};

/// Whether the schedule follows from the start and the order of issues within a cycle: no access
/// waits for others in memory or in a queue, no warp for a line, and no stage in front of the units
/// holds one.
bool start_determines_schedule(const TimedKernel& kernel, const MemoryPath& memory) {
    const auto& lines = kernel.delivery.lines;
    return !memory.has_queueing() && !kernel.registers.reads && !uses_memory_queue(kernel) &&
           (!lines || lines->never_miss());
}

/// Times over all possible schedules, if they can be simulated or explored, with every number of
/// blocks that a multiprocessor may get.
std::optional<ScheduleTimes> schedule_times(const TimedKernel& kernel,
                                            const ScheduledLaunch& launch, Deadline deadline) {
    const LaunchGeometry& shape = launch.shape;
    if (shape.waves() > 1) return std::nullopt;
    const auto fewest = std::max(models::ThreadBlocks{1}, shape.min_initial_on_each());
    const std::int64_t launches = (shape.resident - fewest).count() + 1;
    ScheduleTimes times_of_all;
    std::optional<models::Cycles> fastest;
    for (models::ThreadBlocks blocks = fewest; blocks <= shape.resident; ++blocks) {
        const ScheduledLaunch one{shape.one_multiprocessor(blocks), launch.policy};
        auto times = simulated_times(kernel, one, launches);
        if (!times) {
            times_of_all.explored = true;
            if (const auto explored = explored_times(kernel, one, deadline, launches)) {
                times = explored->times;
                times_of_all.steps += explored->steps;
                times_of_all.numbers += explored->numbers;
            }
        }
        if (!times) return std::nullopt;
        times_of_all.upper = std::max(times_of_all.upper, times->upper());
        if (blocks >= shape.min_initial_on_fullest())
            fastest = std::min(fastest.value_or(times->lower()), times->lower());
    }
    times_of_all.lower = *fastest;
    return times_of_all;
}

/// Whether the check steps or explores these schedules again (S17, lemma 6, and S30). It takes no
/// more steps than the analysis, and keeps no more numbers. It follows no lanes that diverge.
bool has_evidence(const TimedKernel& kernel, const ScheduleTimes& times) {
    constexpr std::int64_t most_steps = std::int64_t{1} << 21U;
    constexpr std::int64_t most_numbers = std::int64_t{1} << 24U;
    return !kernel.lanes_diverge && times.steps <= most_steps && times.numbers <= most_numbers;
}

/// The time over all schedules. `answer`: a bound, whose path is kept.
std::optional<SideAnswer> explored(const AnalysisContext& context, const SideAnswer& answer,
                                   Side side, Deadline deadline) {
    if (!start_determines_schedule(context.kernel, context.memory)) return std::nullopt;
    const auto times = unless_stopped([&] {
                           return schedule_times(context.kernel, context.launch, deadline);
                       }).value_or(std::nullopt);
    if (!times) return std::nullopt;
    std::string text = "all warps, for every slot in which the run may start";
    if (times->explored) text += ", in every order of issue within a cycle";
    if (context.launch.shape.multiprocessors > 1) text += ", for every distribution of blocks";
    const models::Cycles time = side == Side::Upper ? times->upper : times->lower;
    SideAnswer schedules =
        explored_schedules(answer, "schedule exploration", {std::move(text), 1, time.count()});
    schedules.execution.bound.has_evidence = has_evidence(context.kernel, *times);
    return schedules;
}

/// Whether the time of schedules is claimed rather than the other bound, which comes first. No
/// certificate is then kept, which says so.
bool claims_schedules(const SideAnswer& schedules, const SideAnswer& other) {
    return schedules.execution.bound.has_evidence &&
           schedules.execution.proved < other.execution.proved;
}

class TimeDivision final : public Policy {
public:
    [[nodiscard]] Result<Alternatives> from_above(const AnalysisContext& context,
                                                  Wanted wanted) const override {
        const AnalysisRun& run = context.run;
        const ScheduledLaunch launch = on_fullest_multiprocessor(context.launch);
        const TimedKernel kernel = in_slots_behind_queues(context.kernel, launch.shape);
        const auto critical = time_division_path(kernel, launch, context.memory);
        if (!critical) return critical.as_failure();
        const auto paths = longest_in_slots(kernel, launch.shape, run, critical.value());
        if (!paths) return paths.as_failure();
        const QueueSlots queue{context.kernel, launch.shape, critical.value().changes_warp_slot};
        Alternatives all{time_division_with_evidence(kernel, launch, run, critical.value(), queue,
                                                     paths.value())};
        if (wanted != Wanted::WithEvidence)
            if (auto schedules = explored(context, all.front(), Side::Upper, run.deadline)) {
                if (claims_schedules(*schedules, all.front())) keep_counted_certificates(run, {});
                all.push_back(std::move(*schedules));
            }
        return all;
    }

    [[nodiscard]] Result<Alternatives> from_below(const AnalysisContext& context,
                                                  SideAnswer any_policy, Deadline deadline,
                                                  Wanted wanted) const override {
        auto path = own_delay_from_below(context.kernel, context.launch,
                                         context.run.until(deadline), std::move(any_policy));
        if (!path) return path.as_failure();
        Alternatives all{std::move(path).value()};
        if (wanted != Wanted::WithEvidence)
            if (auto schedules = explored(context, all.front(), Side::Lower, deadline))
                all.push_back(std::move(*schedules));
        return all;
    }
};

} // namespace

const Policy& time_division() {
    static const TimeDivision policy;
    return policy;
}

} // namespace warpbound::analyzer
