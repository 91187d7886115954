#pragma once
/// \file
/// The events of a run by warp and issue, with what the program and the description say of them.

#include "assembly/isa/program.hpp"
#include "models/architecture/instruction_timing.hpp"
#include "tests/support/event_checker/recorded_run.hpp"

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

/// An issue with everything that happened to it later.
struct Issue {
    Issued event;
    std::vector<std::int64_t> completed;
    std::vector<std::int64_t> sources_read;
    std::optional<std::int64_t> drained;
    std::vector<harness::simulator::OperandRead> reads;
    std::vector<harness::simulator::Collected> collected;
    std::vector<harness::simulator::UnitEntered> entered;
    /// The lines for which a load has looked in the L1.
    std::vector<harness::simulator::LineAccessed> lines;
    bool paired = false; ///< Issued in its predecessor's cycle without a choice of its own.
};

struct WarpRecord {
    std::vector<WarpStarted> starts;
    std::vector<Issue> issues;
    std::vector<std::int64_t> ends;
    std::vector<harness::simulator::InstructionsFetched> fetches;
};

/// Cycle, warp, place of the issue.
using Entry = std::tuple<std::int64_t, int, std::size_t>;

/// A load has looked in the L1 for one of its lines.
struct LineTurn {
    const harness::simulator::LineAccessed* access = nullptr;
    std::size_t place = 0; ///< Of the load among the issues of its warp.
    std::int64_t line = 0; ///< Which of the load's, from 0 on.
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

/// What the checks share: the record, and the violations that they find.
struct RecordedLaunch {
    RecordedLaunch(const harness::Kernel& kernel, const models::Architecture& machine,
                   const models::WarpPolicy& policy, const RecordedRun& run);

    /// Puts the events in order. False when that cannot be done; it then said why.
    bool collect();

    [[nodiscard]] const InstructionTiming& timing(const Issue& issue) const {
        return timings[issue.event.instruction].value();
    }
    [[nodiscard]] const assembly::Instruction& instruction(const Issue& issue) const {
        return kernel.function->instructions[issue.event.instruction];
    }
    /// Numbered through all SMs.
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
    [[nodiscard]] bool collects() const { return !machine.register_file.values.empty(); }
    /// Whether loads through the caches and stores come to the load/store unit when their units
    /// take them, and not when they issue (C49).
    [[nodiscard]] bool accesses_at_unit() const { return collects() && has_caches; }
    [[nodiscard]] bool is_store(const Issue& issue) const {
        return issue.event.executed && timing(issue).enters_write_buffer;
    }
    [[nodiscard]] bool is_cached_load(const Issue& issue) const {
        return issue.event.executed && timing(issue).through_caches &&
               !timing(issue).enters_write_buffer;
    }
    /// From when on latency and initiation of an executed issue count: its entrance of the unit
    /// where there are collectors.
    [[nodiscard]] std::int64_t begin_of(const Issue& issue) const {
        return issue.entered.empty() ? issue.event.cycle : issue.entered.front().cycle;
    }
    /// Of several edges to the block that follows, the widest interval (C4, C41).
    [[nodiscard]] Interval gap_after(const Issue& before, const Issue& issue) const;

    void say(std::string text);
    /// `what`: the rule, a colon, what is wrong.
    void complain(const Issue& issue, std::string_view what);

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
    bool has_caches = false;   ///< Some access leads through them (C23).
    /// Loads through the caches, in the order in which they enter the load queue, and the cycles in
    /// which each had looked for all its lines. A load is in the queue up to that cycle.
    std::vector<Entry> loads;
    std::vector<Entry> loads_left;
    std::vector<LineTurn> line_turns; ///< In the order of the log.
    std::vector<std::string> found;
};

} // namespace warpbound::tests
