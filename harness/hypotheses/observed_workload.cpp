#include "harness/hypotheses/observed_workload.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::harness::hypotheses {

namespace {

bool is_reversed(const TimeRange& range) {
    return range.latest < range.earliest;
}

Result<void> set_times(ObservedOperation& launch) {
    if (launch.blocks.empty()) return Failure{fmt::format("'{}' has no blocks", launch.name)};
    launch.begin.earliest = launch.blocks.front().begin;
    launch.dispatched = launch.blocks.front().begin;
    launch.end.earliest = launch.blocks.front().end;
    for (const ObservedBlock& block : launch.blocks) {
        if (block.end < block.begin)
            return Failure{fmt::format("a block of '{}' begins at {} and ends at {}", launch.name,
                                       block.begin, block.end)};
        launch.begin.earliest = std::min(launch.begin.earliest, block.begin);
        launch.dispatched = std::max(launch.dispatched, block.begin);
        launch.end.earliest = std::max(launch.end.earliest, block.end);
    }
    launch.begin.latest = launch.begin.earliest;
    launch.end.latest = std::max(launch.end.earliest, launch.end.latest);
    return boost::outcome_v2::success();
}

} // namespace

std::string_view to_string(TimeUnit unit) {
    return unit == TimeUnit::Cycles ? "cycles" : "ns";
}

Result<void> complete(ObservedWorkload& workload) {
    for (ObservedOperation& operation : workload.operations) {
        if (operation.is_launch())
            if (auto set = set_times(operation); !set) return set.as_failure();
        if (is_reversed(operation.issued) || is_reversed(operation.begin) ||
            is_reversed(operation.end) || operation.end.latest < operation.begin.earliest)
            return Failure{fmt::format("'{}' ends before it begins", operation.name)};
        if (operation.threads < 0 || operation.shared_memory.value_or(0) < 0 ||
            operation.registers.value_or(0) < 0)
            return Failure{fmt::format("'{}' needs a negative amount", operation.name)};
    }
    if (workload.calls_in_order) return boost::outcome_v2::success();
    std::stable_sort(
        workload.operations.begin(), workload.operations.end(),
        [](const auto& a, const auto& b) { return a.issued.earliest < b.issued.earliest; });
    return boost::outcome_v2::success();
}

} // namespace warpbound::harness::hypotheses
