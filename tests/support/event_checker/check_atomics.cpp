#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::tests {

namespace {

using harness::simulator::AtomicServed;

/// What the atomics of one slice leave to the next one.
struct Slice {
    std::int64_t free_at = 0;
    std::int64_t arrived = 0; ///< Of the last one.
};

void report(RecordedLaunch& run, const AtomicServed& served, std::string_view wrong) {
    run.report(fmt::format("C57: warp {} issue {} at slice {} from {} on {}", served.warp,
                           served.number, served.slice, served.cycle, wrong));
}

/// One after another, in the order in which they began, without idle time.
void check_slices(RecordedLaunch& run) {
    std::map<std::int64_t, Slice> slices;
    for (const AtomicServed& served : run.atomics) {
        Slice& slice = slices[served.slice];
        if (served.cycle != std::max(slice.free_at, served.arrived))
            report(run, served,
                   fmt::format("began at {}, when the slice was free at {}", served.arrived,
                               slice.free_at));
        if (served.arrived < slice.arrived)
            report(run, served, "is served after one that began later");
        slice = {.free_at = served.until, .arrived = served.arrived};
    }
}

/// The services and the result of an atomic, by the description.
void check_issue(RecordedLaunch& run, const Issue& issue) {
    const InstructionTiming& timing = run.timing(issue);
    if (!models::is_atomic_at_l2(timing) || !issue.event.executed) {
        if (!issue.served.empty()) run.report_issue(issue, "C57: is served at a slice");
        return;
    }
    if (issue.served.empty()) return run.report_issue(issue, "C57: is served at no slice");
    // Behind a memory queue they are reached at the hand-over, and the latency is shorter (C74).
    const bool is_queued = !issue.handed_over.empty();
    const std::int64_t begin = is_queued ? issue.handed_over.front().cycle : run.begin_of(issue);
    const std::int64_t entry = is_queued ? issue.handed_over.front().entry : 0;
    const std::int64_t further = issue.event.passes - 1;
    const std::int64_t write_back =
        run.collects() ? value_of(run.machine.register_file, "write-back").lo : 0;
    std::int64_t transactions = 0;
    std::int64_t last = begin;
    std::int64_t until = 0;
    for (const AtomicServed& served : issue.served) {
        transactions += served.transactions;
        last = std::max(last, served.cycle);
        until = std::max(until, served.until);
        if (served.arrived != begin) report(run, served, fmt::format("did not begin at {}", begin));
        if (!within(served.until - served.cycle, served.transactions * timing.slice_time.lo,
                    served.transactions * timing.slice_time.hi))
            report(run, served, fmt::format("takes up to {}", served.until));
    }
    const bool by_address = timing.access.rule != models::PassRule::None;
    if (!by_address && transactions != issue.event.passes)
        run.report_issue(issue, fmt::format("C57: {} transactions of {} are served", transactions,
                                            issue.event.passes));
    if (run.run.trace == nullptr && transactions > timing.passes.hi)
        run.report_issue(issue, fmt::format("C57: {} transactions are served", transactions));
    const Interval result{
        std::max(last - entry + timing.latency.lo + further * timing.pass_cost.lo, until),
        {},
        std::max(last - entry + timing.latency.hi + further * timing.pass_cost.hi, until)};
    for (const std::int64_t cycle : issue.due)
        if (!within(cycle - write_back, result.lo, result.hi))
            run.report_issue(issue, fmt::format("C57: completes at {}", cycle));
}

} // namespace

void check_atomics(RecordedLaunch& run) {
    check_slices(run);
    for (const WarpRecord& warp : run.warps)
        for (const Issue& issue : warp.issues)
            check_issue(run, issue);
}

} // namespace warpbound::tests
