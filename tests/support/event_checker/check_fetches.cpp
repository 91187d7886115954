#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::tests {

namespace {

using harness::simulator::InstructionsFetched;

/// Replays the instruction buffer of one warp.
void check_buffer(RecordedLaunch& run, const WarpRecord& warp) {
    const std::int64_t buffer = value_of(run.machine.fetch, "buffer").lo;
    const std::int64_t width = value_of(run.machine.fetch, "width").lo;
    std::size_t next_fetch = 0;
    std::size_t first = 0;
    std::int64_t left = 0;
    std::int64_t fetched_at = -1;
    for (const Issue& issue : warp.issues) {
        for (;
             next_fetch < warp.fetches.size() && warp.fetches[next_fetch].cycle < issue.event.cycle;
             ++next_fetch) {
            const InstructionsFetched& fetch = warp.fetches[next_fetch];
            if (left > 0 && first == issue.event.instruction)
                run.report_issue(
                    issue,
                    fmt::format("C43: was in the buffer when a fetch arrived at {}", fetch.cycle));
            if (fetch.count < 1 || fetch.count > std::min(buffer, width))
                run.report_issue(issue, fmt::format("C43: a fetch of {}", fetch.count));
            first = fetch.instruction;
            left = fetch.count;
            fetched_at = fetch.cycle;
        }
        if (left == 0 || first != issue.event.instruction)
            run.report_issue(issue, "C43: is not in the buffer");
        if (issue.event.stalls[Stall::Fetch] != fetched_at + 1)
            run.report_issue(issue, fmt::format("C44: was fetched at {}", fetched_at));
        ++first;
        --left;
    }
}

} // namespace

void check_fetches(RecordedLaunch& run) {
    if (!run.machine.has_fetch_ports()) return;
    std::map<std::pair<int, std::int64_t>, std::int64_t> served; // By SM and cycle.
    for (const WarpRecord& warp : run.warps) {
        check_buffer(run, warp);
        for (const InstructionsFetched& fetch : warp.fetches)
            if (++served[{warp.starts.front().multiprocessor, fetch.cycle}] >
                value_of(run.machine.fetch, "ports").lo)
                run.report(fmt::format("C44: too many fetches at {}", fetch.cycle));
    }
}

} // namespace warpbound::tests
