#include "analyzer/policies/time_division/time_division.hpp"

#include "analyzer/policies/exact/schedule_exploration.hpp"
#include "analyzer/policies/exact/schedule_simulation.hpp"
#include "analyzer/policies/time_division/blocking.hpp"
#include "analyzer/policies/time_division/own_delay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace warpbound::analyzer {

namespace {

std::string distance_text(const SlotDistance& slots) {
    if (slots.longest == 1) return "path of a warp that has all slots of its scheduler";
    if (slots.shortest == slots.longest)
        return fmt::format("path of a warp with a slot every {} cycles", slots.longest);
    return fmt::format("path of a warp with a slot every {} to {} cycles", slots.shortest,
                       slots.longest);
}

/// Time of a launch beyond the longest path of a warp in its slots.
class SlottedLaunch {
public:
    explicit SlottedLaunch(const AnalysisContext& context)
        : context_{context}, shape_{context.shape} {}

    /// When slots are as far apart as `slots` says: `path` is the longest path of a warp in one
    /// wave, which passes so many barriers of its block.
    std::vector<BoundTerm> terms(SlotDistance slots, std::int64_t path, const SlotBlocking& lost,
                                 std::int64_t barriers) const {
        std::vector<BoundTerm> terms;
        const auto add = [&](std::string text, std::int64_t count, std::int64_t cycles) {
            if (count > 0 && cycles > 0) terms.push_back({std::move(text), count, cycles});
        };
        add(distance_text(slots), shape_.waves(), path);
        // Also a warp that has all slots waits for the one of its predecessor to end.
        const std::int64_t first = shape_.waves() > 1 ? shape_.issue_slot.hi : 1;
        add("wait for the first slot", shape_.waves(), std::max(slots.longest, first) - 1);
        add("wait for a slot behind a barrier", (models::Cycles{barriers} * shape_.waves()).count(),
            slots.longest - 1);
        add("replacement and start of a block", shape_.waves() - 1, shape_.refill.hi);
        add("slots of the warp in which a port is taken by another", lost.to_ports, lost.cycles);
        // Through the caches drains are waits for the memory system (S29).
        if (context_.caches) return terms;
        add("slots of the warp in which the write buffer is full", lost.to_stores, lost.cycles);
        add("drains behind the last store", 1, last_drains());
        return terms;
    }

private:
    std::int64_t last_drains() const {
        const InstructionCosts drains = drain_costs(context_, Side::Upper);
        const std::int64_t longest =
            drains.empty() ? 0 : *std::max_element(drains.begin(), drains.end());
        const models::Cycles all{most_on_a_path(context_, drains)};
        return std::min((all * shape_.warps()).count(),
                        (models::Cycles{longest} * context_.buffer_entries.hi).count());
    }

    const AnalysisContext& context_;
    const LaunchGeometry& shape_;
};

struct SteppedTimes {
    models::Cycles lower{0};
    models::Cycles upper{0};
    bool in_any_order = false; ///< Of issues in one cycle.
};

/// Of all schedules that are left, where they can be stepped, with every number of blocks that a
/// multiprocessor may get.
std::optional<SteppedTimes> stepped_times(const AnalysisContext& context, Deadline deadline) {
    const LaunchGeometry& shape = context.shape;
    if (shape.waves() > 1) return std::nullopt;
    const std::int64_t fewest = std::max<std::int64_t>(1, shape.fewest_together());
    const std::int64_t launches = shape.resident - fewest + 1;
    SteppedTimes stepped;
    std::optional<models::Cycles> fastest;
    for (std::int64_t blocks = fewest; blocks <= shape.resident; ++blocks) {
        AnalysisContext one = context;
        one.shape = shape.holding(blocks);
        auto times = simulated_times(one, launches);
        if (!times) {
            times = explored_times(one, deadline, launches);
            stepped.in_any_order = true;
        }
        if (!times) return std::nullopt;
        stepped.upper = std::max(stepped.upper, times->upper());
        if (blocks >= shape.surely_together())
            fastest = std::min(fastest.value_or(times->lower()), times->lower());
    }
    stepped.lower = *fastest;
    return stepped;
}

/// Takes the times of all schedules that are left when they are closer.
void take_stepped(const AnalysisContext& context, SideAnswer& answer, Side side,
                  Deadline deadline) {
    const auto times = stepped_times(context, deadline);
    if (!times) return;
    SideResult& execution = answer.execution;
    const models::Cycles time = side == Side::Upper ? times->upper : times->lower;
    if (side == Side::Upper ? time >= execution.proved : time <= execution.proved) return;
    std::string text = "all warps, in every slot that the run may start in";
    if (times->in_any_order) text += ", whoever is first in a cycle";
    if (context.shape.multiprocessors > 1) text += ", however blocks are spread";
    execution.terms = {{std::move(text), 1, time.count()}};
    execution.proved = time;
    execution.proof = Proof::ScheduleExploration;
    execution.outcome = Outcome::Optimal;
    execution.best_found.reset();
}

} // namespace

Result<SideAnswer> bound_time_division_from_above(const AnalysisContext& launched,
                                                  Deadline deadline) {
    const AnalysisContext context = as_delayed(launched);
    const auto found = time_division_path(context);
    if (!found) return found.as_failure();
    const TimeDivisionPath& chain = found.value();
    const SlotDistance any = hull(chain.places);
    const SlotBlocking lost_on_the_way =
        chain.changes_place ? blocking_of_any_slot(context, chain.places, chain.barriers)
                            : SlotBlocking{};
    const auto lost = chain.changes_place ? std::map<SlotDistance, SlotBlocking>{}
                                          : blocking_by_distance(context);
    const SlottedLaunch launch{context};
    auto answer = longest_in_slots(
        context, chain, deadline, [&](const std::vector<SlotDistance>& slots, std::int64_t path) {
            return chain.changes_place
                       ? launch.terms(any, path, lost_on_the_way, chain.barriers)
                       : launch.terms(slots.front(), path, lost.at(slots.front()), 0);
        });
    // The start does not decide when data come through the caches.
    if (!answer || context.caches) return answer;
    take_stepped(launched, answer.value(), Side::Upper, deadline);
    return answer;
}

Result<SideAnswer> bound_time_division_from_below(const AnalysisContext& context, SideAnswer answer,
                                                  Deadline deadline) {
    auto path = own_delay_from_below(context, std::move(answer), deadline);
    if (!path || context.caches) return path;
    take_stepped(context, path.value(), Side::Lower, deadline);
    return path;
}

} // namespace warpbound::analyzer
