#pragma once
/// \file
/// Variation of a kernel's time under a warp policy: repeated runs with issue order and fairness.

#include "harness/protocol/measure.hpp"
#include "harness/simulator/machine.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::harness {

/// One run. `Unit:` core cycles for times.
struct ScheduledRun {
    std::int64_t time = 0;         ///< Execution time.
    std::int64_t instructions = 0; ///< Warp instructions issued, summed over all warps.
    std::int64_t first_end = 0;    ///< When the first warp ended.
    std::int64_t last_end = 0;     ///< When the last warp ended.
    std::uint64_t order =
        0; ///< Hash of the issue order: equal for runs in which the warps issued in the same order.
    /// Jain's index of the warps' end times: 1 when all are equal, 1/n when one has all of it
    /// (Jain, Chiu, Hawe 1984, eq. 1).
    double fairness = 1;
};

/// Summary of all runs of a policy.
struct ScheduleSummary {
    Summary times;
    double mean_cpi = 0;      ///< Cycles per warp instruction of the launch.
    double deviation_cpi = 0; ///< Standard deviation over the runs.
    std::int64_t orders = 0;  ///< Number of different issue orders.
    double mean_fairness = 1;
    std::int64_t widest_spread = 0; ///< Largest time between the first and the last warp's end.
    std::int64_t worst_run = 0;     ///< Index of the first run with the largest execution time.
};

/// Issue cycles of each warp in a run.
struct Timeline {
    std::uint64_t seed = 0;
    std::int64_t time = 0; ///< Execution time. `Unit:` core cycles.
    /// `Shape:` issues[warp of the launch], in time order. `Unit:` core cycles.
    std::vector<std::vector<std::int64_t>> issues;
};

/// Runs 0 .. repetitions - 1 of the protocol, in run order; fewer if `progress` returns false. Uses
/// `threads` threads; the result does not depend on their number. Refuses what `Machine::run`
/// refuses.
Result<std::vector<ScheduledRun>> run_schedules(const simulator::Machine& machine,
                                                const Protocol& protocol, unsigned threads = 1,
                                                const Progress& progress = {});

/// Requires: runs not empty, in run order.
ScheduleSummary summarise_schedules(const std::vector<ScheduledRun>& runs);

/// Repeats a run of the protocol and records its issue cycles. Refuses what `Machine::run` refuses.
Result<Timeline> timeline_of(const simulator::Machine& machine, const Protocol& protocol,
                             std::int64_t run);

} // namespace warpbound::harness
