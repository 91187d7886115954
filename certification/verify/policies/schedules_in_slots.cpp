#include "certification/verify/policies/schedules_in_slots.hpp"

#include "certification/verify/interference/fetch_delay.hpp"
#include "certification/verify/interference/memory_queue.hpp"
#include "certification/verify/memory/atomics.hpp"
#include "certification/verify/policies/explored_schedules.hpp"
#include "certification/verify/policies/only_path.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <vector>

namespace warpbound::certification::verify {

namespace {

constexpr std::int64_t most_issues = std::int64_t{1} << 20U;
constexpr ExplorationLimit most_explored{.issues = std::int64_t{1} << 21U,
                                         .numbers = std::int64_t{1} << 24U};

/// Whether nothing but slots, ports, the write buffer and what a warp began holds it back.
bool is_undelayed_elsewhere(const TimedCode& code) {
    return code.kernel.serialized.empty() && code.geometry.waves == 1 &&
           code.geometry.issue_slot.is_exact() && !code.kernel.architecture.has_read_ports() &&
           !has_queued_instructions(code) && fetch_terms_of(code, 0).empty() &&
           !atomics_can_wait(code);
}

/// Whether the warps of a block wait for each other on the path, or accesses go through caches.
bool waits_for_others(const TimedCode& code, const std::vector<IssueStep>& path) {
    return std::any_of(path.begin(), path.end(), [&](const IssueStep& step) {
        const models::InstructionTiming& timing = code.timings[step.next].value();
        return (timing.is_barrier_wait && code.geometry.warps_per_block > 1) ||
               timing.through_caches;
    });
}

/// Whether warps of one scheduler may delay those of another one.
bool depend_on_each_other(const TimedCode& code, const std::vector<IssueStep>& path,
                          std::size_t schedulers) {
    return std::any_of(path.begin(), path.end(), [&](const IssueStep& step) {
        const models::InstructionTiming& timing = code.timings[step.next].value();
        return timing.enters_write_buffer ||
               (schedulers > 1 && is_port_of_multiprocessor(code, timing));
    });
}

} // namespace

std::optional<TimeRange> times_of_schedules(const TimedCode& code) {
    const LaunchGeometry& launch = code.geometry;
    if (!is_undelayed_elsewhere(code)) return std::nullopt;
    const auto path =
        only_path_of(code, code.lower_flow, EarlyEnds::None, static_cast<std::size_t>(most_issues));
    if (!path || waits_for_others(code, *path)) return std::nullopt;
    // S17: a multiprocessor may get any number of blocks from the fewest on; one gets a share.
    const std::int64_t fewest = std::max<std::int64_t>(
        1, launch.blocks - models::times(launch.block_slots, launch.multiprocessors - 1));
    const std::int64_t share = std::min(launch.block_slots, launch.blocks_before_last() + 1);
    std::int64_t issues_left = most_issues;
    ExplorationLimit limit = most_explored;
    std::optional<models::Cycles> least;
    models::Cycles most{0};
    for (std::int64_t blocks = fewest; blocks <= launch.block_slots; ++blocks) {
        const auto schedulers = slots_of_schedulers(code.kernel.policy, launch, blocks);
        std::optional<TimeRange> times;
        std::int64_t left = issues_left;
        if (!depend_on_each_other(code, *path, schedulers.size()))
            times = time_in_own_slots(code, *path, schedulers, left);
        if (times)
            issues_left = left;
        else
            times = time_in_any_order(code, *path, schedulers, limit);
        if (!times && (left < 0 || limit.is_passed()))
            incomplete(code.kernel.id + ": it has more schedules than are explored");
        if (!times) return std::nullopt;
        most = std::max(most, times->upper());
        if (blocks >= share) least = std::min(least.value_or(times->lower()), times->lower());
    }
    return TimeRange{least.value(), most};
}

} // namespace warpbound::certification::verify
