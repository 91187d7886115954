#include "analyzer/policies/time_division/time_division.hpp"

#include "analyzer/interference/queue_demand.hpp"
#include "analyzer/policies/exact/schedule_exploration.hpp"
#include "analyzer/policies/exact/schedule_simulation.hpp"
#include "analyzer/policies/time_division/blocking.hpp"
#include "analyzer/policies/time_division/certified_terms.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"
#include "analyzer/policies/time_division/queue_slots.hpp"
#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::analyzer {

namespace {

std::string distance_text(const SlotDistance& slots) {
    if (slots.longest == 1) return "path of a warp that has all slots of its scheduler";
    if (slots.shortest == slots.longest)
        return fmt::format("path of a warp with a slot every {} cycles", slots.longest);
    return fmt::format("path of a warp with a slot every {} to {} cycles", slots.shortest,
                       slots.longest);
}

/// Terms of a launch: the longest path of a warp in its time slots, and its delays.
class TimeDivisionTerms {
public:
    TimeDivisionTerms(const TimedKernel& kernel, const LaunchGeometry& shape,
                      const TimeDivisionPath& critical, const QueueSlots& queue)
        : kernel_{kernel}, shape_{shape}, critical_{critical}, queue_{queue} {}

    /// `path`: the longest path of a warp in one wave with the slot distance `slots`.
    std::vector<BoundTerm> terms(SlotDistance slots, std::int64_t path,
                                 const SlotBlocking& blocking) const {
        std::vector<BoundTerm> terms;
        const auto add = [&](std::string text, std::int64_t count, std::int64_t cycles) {
            if (count > 0 && cycles > 0) terms.push_back({std::move(text), count, cycles});
        };
        add(distance_text(slots), shape_.waves(), path);
        // A warp that has all slots, too, waits until the slot of its predecessor ends.
        const std::int64_t first = shape_.waves() > 1 ? shape_.issue_slot.hi : 1;
        add("wait for the first slot", shape_.waves(), std::max(slots.longest, first) - 1);
        add("wait for a slot after a barrier",
            (models::Cycles{critical_.barriers} * shape_.waves()).count(), slots.longest - 1);
        add("replacement and start of a block", shape_.waves() - 1, shape_.refill.hi);
        add("slots of the warp in which another warp occupies a port", blocking.by_ports,
            blocking.cycles);
        add("slots of the warp in which register reads hold the stages in front of the units",
            blocking.by_reads, blocking.cycles);
        if (queue_.may_block()) {
            const std::vector<SlotDistance> distances =
                critical_.changes_warp_slot ? critical_.distances : std::vector{slots};
            add("slots of the warp in which the memory queue of its scheduler is full",
                queue_.warps().count(), most_on_a_path(kernel_, queue_.blocked_time(distances)));
            add("slots that a memory queue may block again after the start of the last block", 1,
                queue_.blocked_at_last_start(distances));
        }
        // With accesses through the caches, drains are part of the queueing delay (S29).
        if (critical_.queues_drains) return terms;
        add("slots of the warp in which the write buffer is full", blocking.by_stores,
            blocking.cycles);
        add("drains after the last store", 1, last_drains());
        return terms;
    }

private:
    std::int64_t last_drains() const {
        const InstructionCosts drains = drain_costs(kernel_, Side::Upper);
        const std::int64_t longest =
            drains.empty() ? 0 : *std::max_element(drains.begin(), drains.end());
        const models::Cycles all{most_on_a_path(kernel_, drains)};
        return std::min((all * shape_.warps()).count(),
                        (models::Cycles{longest} * kernel_.write_buffer.entries.hi).count());
    }

    const TimedKernel& kernel_;
    const LaunchGeometry& shape_;
    const TimeDivisionPath& critical_;
    const QueueSlots& queue_;
};

struct ScheduleTimes {
    models::Cycles lower{0};
    models::Cycles upper{0};
    bool explored = false; ///< Over all orders of issue within a cycle.
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
            times = explored_times(kernel, one, deadline, launches);
            times_of_all.explored = true;
        }
        if (!times) return std::nullopt;
        times_of_all.upper = std::max(times_of_all.upper, times->upper());
        if (blocks >= shape.min_initial_on_fullest())
            fastest = std::min(fastest.value_or(times->lower()), times->lower());
    }
    times_of_all.lower = *fastest;
    return times_of_all;
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
    return explored_schedules(answer, "schedule exploration", {std::move(text), 1, time.count()});
}

/// Own delay, and blocked slots where they lie.
SideAnswer with_blocked_slots(const TimedKernel& kernel, const ScheduledLaunch& launch,
                              const TimeDivisionPath& critical, const QueueSlots& queue,
                              const std::vector<PathInSlots>& paths) {
    const SlotDistance any = hull(critical.distances);
    const SlotBlocking of_any_slot =
        critical.changes_warp_slot
            ? blocking_of_any_slot(kernel, launch, critical.distances, critical.barriers)
            : SlotBlocking{};
    const auto by_distance = critical.changes_warp_slot ? std::map<SlotDistance, SlotBlocking>{}
                                                        : blocking_by_distance(kernel, launch);
    const TimeDivisionTerms sum{kernel, launch.shape, critical, queue};
    return with_terms(
        paths,
        [&](const std::vector<SlotDistance>& slots, std::int64_t path) {
            return critical.changes_warp_slot
                       ? sum.terms(any, path, of_any_slot)
                       : sum.terms(slots.front(), path, by_distance.at(slots.front()));
        },
        "blocked slots where they lie", false);
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
        Alternatives all;
        if (wanted != Wanted::WithEvidence)
            add_alternative(all, !run.certificates || wanted == Wanted::Tightest, [&] {
                return with_blocked_slots(kernel, launch, critical.value(), queue, paths.value());
            });
        if (wanted != Wanted::WithEvidence && !all.empty())
            if (auto schedules = explored(context, all.front(), Side::Upper, run.deadline))
                all.push_back(std::move(*schedules));
        if (wanted != Wanted::Tightest)
            add_alternative(all, run.certificates || wanted == Wanted::WithEvidence, [&] {
                return time_division_with_evidence(kernel, launch, run, critical.value(), queue,
                                                   paths.value());
            });
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
