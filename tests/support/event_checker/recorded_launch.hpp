#pragma once
/// \file
/// The events of a run by warp and issue, with the matching parts of program and description.

#include "assembly/isa/program.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "tests/support/event_checker/recorded_run.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace warpbound::tests {

using harness::simulator::Event;
using harness::simulator::Issued;
using harness::simulator::Stall;
using harness::simulator::StallEnds;
using harness::simulator::WarpStarted;
using models::InstructionTiming;
using models::Interval;

/// An issue with all later events of the instruction.
struct Issue {
    Issued event;
    std::vector<std::int64_t> completed;
    std::vector<std::int64_t> due; ///< When it would have completed without C108 and C111.
    std::vector<std::int64_t> sources_read;
    std::vector<std::int64_t> sources_due; ///< When it would have read them without C111.
    std::vector<harness::simulator::QueuedRead> queued; ///< Its reads of variable latency.
    std::optional<std::int64_t> drained;
    std::vector<harness::simulator::OperandRead> reads;
    std::vector<harness::simulator::Collected> collected;
    std::vector<harness::simulator::UnitEntered> entered;
    std::vector<harness::simulator::ReadsGranted> granted;
    std::vector<harness::simulator::HandedOver> handed_over; ///< From the memory queue.
    std::vector<harness::simulator::AtomicServed> served;    ///< Of a global atomic, at each slice.
    /// The lines that a load has looked up in the L1.
    std::vector<harness::simulator::LineAccessed> lines;
    /// Up to this cycle it certainly does not see the increments of its predecessor, and its
    /// scoreboards are clear at `clear_unseen` (C85). Set by the check of its warp.
    std::int64_t unseen_until = -1;
    std::int64_t clear_unseen = 0;
    bool paired = false; ///< Issued in its predecessor's cycle, without its own choice.
};

struct WarpRecord {
    std::vector<WarpStarted> starts;
    std::vector<Issue> issues;
    std::vector<std::int64_t> ends;
    std::vector<harness::simulator::InstructionsFetched> fetches;
};

/// Cycle, warp, index of the issue.
using Entry = std::tuple<std::int64_t, int, std::size_t>;

/// A look-up of a load in the L1, for one of its lines.
struct LoadLine {
    const harness::simulator::LineAccessed* access = nullptr;
    std::size_t index = 0; ///< Of the load among the issues of its warp.
    std::int64_t line = 0; ///< Among the lines of the load, from 0 on.
};

/// The value of a description that the simulator accepted.
inline Interval value_of(const models::ValueGroup& group, std::string_view name) {
    return group.find(name)->interval.value();
}
inline Interval memory_value(const models::Architecture& machine, std::string_view memory,
                             std::string_view name) {
    return value_of(*machine.memory(memory), name);
}
inline bool within(std::int64_t value, std::int64_t lo, std::int64_t hi) {
    return lo <= value && value <= hi;
}

/// Shared by the checks: the record, and the violations that they find.
struct RecordedLaunch {
    RecordedLaunch(const harness::Kernel& kernel, const models::Architecture& machine,
                   const models::WarpPolicy& policy, const RecordedRun& run);

    /// Sorts the events by warp and issue. False when that is impossible; the reason is reported.
    bool collect();

    [[nodiscard]] const InstructionTiming& timing(const Issue& issue) const {
        return timings[issue.event.instruction].value();
    }
    [[nodiscard]] const assembly::Instruction& instruction(const Issue& issue) const {
        return kernel.function->instructions[issue.event.instruction];
    }
    /// Schedulers are numbered through all SMs.
    [[nodiscard]] int scheduler_of(const WarpRecord& warp) const {
        return warp.starts.front().multiprocessor * schedulers + warp.starts.front().scheduler;
    }
    [[nodiscard]] int scheduler_of(const Issue& issue) const {
        return scheduler_of(warps[static_cast<std::size_t>(issue.event.warp)]);
    }
    [[nodiscard]] int multiprocessor_of(int warp) const {
        return warps[static_cast<std::size_t>(warp)].starts.front().multiprocessor;
    }
    [[nodiscard]] const Issue& issue_at(const Entry& entry) const {
        return warps[static_cast<std::size_t>(std::get<1>(entry))].issues[std::get<2>(entry)];
    }
    /// Whether executed instructions go through operand collectors (C47 to C50).
    [[nodiscard]] bool collects() const { return !machine.operand_collectors.empty(); }
    /// Whether stores and loads through the caches arrive at the load/store unit when they enter
    /// their units, not when they issue (C49).
    [[nodiscard]] bool accesses_at_unit() const { return collects() && has_caches; }
    [[nodiscard]] bool is_store(const Issue& issue) const {
        return issue.event.executed && timing(issue).enters_write_buffer;
    }
    [[nodiscard]] bool is_cached_load(const Issue& issue) const {
        return issue.event.executed && timing(issue).through_caches &&
               !timing(issue).enters_write_buffer;
    }
    /// The cycle from which the latency of an executed issue counts: its entry into the unit where
    /// there are collectors, two cycles before its grant where there are read ports (C60), its
    /// hand-over less its entry behind a memory queue (C74).
    [[nodiscard]] std::int64_t begin_of(const Issue& issue) const {
        if (!issue.handed_over.empty())
            return issue.handed_over.front().cycle - issue.handed_over.front().entry;
        if (!issue.granted.empty()) return issue.granted.front().cycle - 2;
        return issue.entered.empty() ? issue.event.cycle : issue.entered.front().cycle;
    }
    /// When a load or store through the caches comes to the load/store unit: a load behind a memory
    /// queue at its hand-over (C74).
    [[nodiscard]] std::int64_t arrival_of(const Issue& issue) const {
        return issue.handed_over.empty() || is_store(issue) ? begin_of(issue)
                                                            : issue.handed_over.front().cycle;
    }
    /// By how much less the latencies of the levels are from there on: the least entry of loads.
    [[nodiscard]] std::int64_t entry_of_loads() const;
    /// The first cycle in which Control takes an instruction that issues at `cycle` (C60), given
    /// the instructions that the scheduler issued before `cycle`.
    [[nodiscard]] std::int64_t control_free_at(const Issue& issue, std::int64_t cycle) const;
    /// The first cycle from `cycle` on in which the memory queue of its scheduler has a place
    /// (C71), given the instructions that issued up to `cycle`, without `except`.
    [[nodiscard]] std::int64_t place_free_at(const Issue& issue, std::int64_t cycle,
                                             const Issue* except) const;
    /// Of several edges to the next block, the hull of their intervals (C4, C41).
    [[nodiscard]] Interval gap_after(const Issue& before, const Issue& issue) const;

    void report(std::string text);
    /// `what`: the rule, a colon, the violation.
    void report_issue(const Issue& issue, std::string_view what);

    const harness::Kernel& kernel;
    const models::Architecture& machine;
    const models::WarpPolicy& policy;
    const RecordedRun& run;
    std::vector<Result<InstructionTiming>> timings;
    std::vector<assembly::Effects> effects;
    int warps_per_block;
    int schedulers;
    std::vector<WarpRecord> warps;
    std::vector<Entry> stores; ///< In the order in which they enter the write buffer.
    std::vector<Entry> drains; ///< Drain cycle instead of the issue's.
    bool has_caches = false;   ///< Some access goes through the caches (C23).
    /// Loads through the caches, in the order in which they enter the load queue, and the cycles in
    /// which each looked up its last line. A load is in the queue up to that cycle.
    std::vector<Entry> loads;
    std::vector<Entry> loads_left;
    std::vector<LoadLine> load_lines; ///< In the order of the log.
    /// By scheduler and cycle of an issue: from when on a further one may issue (C60).
    std::map<int, std::map<std::int64_t, std::int64_t>> control_free;
    /// By scheduler: what passed its memory queue, in order of issue.
    std::map<int, std::vector<const Issue*>> queued;
    /// By scheduler: from each look-up that missed constants, until when it holds (C82).
    std::map<int, std::map<std::int64_t, std::int64_t>> holds;
    /// When constants were looked up that were not there, by warp and number of the issue.
    std::map<std::pair<int, std::int64_t>, std::int64_t> looked_up;
    std::vector<harness::simulator::AtomicServed> atomics; ///< In the order of the log.
    std::vector<std::string> found;
};

} // namespace warpbound::tests
