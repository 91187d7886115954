#pragma once
/// \file
/// How a warp policy makes a kernel's time vary: repeated runs of which not only the time is kept.

#include "harness/protocol/measure.hpp"
#include "harness/simulator/machine.hpp"

#include <cstdint>
#include <vector>

namespace warpbound::harness {

/// One run. `Unit:` core cycles for times.
struct ScheduledRun {
    std::int64_t time = 0;         ///< Execution time.
    std::int64_t instructions = 0; ///< Issued, of all warps together: warp instructions.
    std::int64_t first_end = 0;    ///< When the first warp ended.
    std::int64_t last_end = 0;     ///< When the last warp ended.
    std::uint64_t order = 0;       ///< Equal for runs in which the warps issued in the same order.
    /// Jain's index of the warps' end times: 1 when all are equal, 1/n when one has all of it
    /// (Jain, Chiu, Hawe 1984, eq. 1).
    double fairness = 1;
};

/// What all runs of a policy say together.
struct ScheduleSummary {
    Summary times;
    double mean_cpi = 0;      ///< Cycles per warp instruction of the launch.
    double deviation_cpi = 0; ///< Standard deviation over the runs.
    std::int64_t orders = 0;  ///< Different issue orders.
    double mean_fairness = 1;
    std::int64_t widest_spread = 0; ///< Largest time between the first and the last warp's end.
    std::int64_t worst_run = 0; ///< The first run with the largest execution time, counted from 0.
};

/// When each warp issued in a run.
struct Timeline {
    std::uint64_t seed = 0;
    std::int64_t time = 0; ///< Execution time. `Unit:` core cycles.
    /// `Shape:` issues[warp of the launch], in time order. `Unit:` core cycles.
    std::vector<std::vector<std::int64_t>> issues;
};

/// Runs 0 .. repetitions - 1 of the protocol, in run order; fewer when `progress` stops them. Uses
/// `threads` threads; the result does not depend on their number. Refuses what a run refuses.
Result<std::vector<ScheduledRun>> run_schedules(const simulator::Machine& machine,
                                                const Protocol& protocol, unsigned threads = 1,
                                                const Progress& progress = {});

/// Requires: runs not empty, in run order.
ScheduleSummary summarise_schedules(const std::vector<ScheduledRun>& runs);

/// Repeats a run of the protocol and keeps its issues. Refuses what the run refuses.
Result<Timeline> timeline_of(const simulator::Machine& machine, const Protocol& protocol,
                             std::int64_t run);

} // namespace warpbound::harness
