#include "assembly/amd/counters.hpp"
#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::tests {

namespace {

/// Whether the guard of a control instruction decides its direction instead of its execution (C10).
bool guard_directs(assembly::ControlFlow flow) {
    using enum assembly::ControlFlow;
    switch (flow) {
    case None:
    case PushReconvergence:
    case PushBreak:
    case PushContinue:
    case PushReturn:
    case ConvergenceSet:
    case ConvergenceBreak:
        return false;
    default:
        return true;
    }
}

class WarpChecker {
public:
    explicit WarpChecker(RecordedLaunch& run) : run_{run} {}

    void check_warp(WarpRecord& warp) {
        std::map<assembly::Register, std::int64_t> ready;
        Releases releases;
        last_in_order_.clear();
        for (std::size_t index = 0; index < warp.issues.size(); ++index) {
            Issue& issue = warp.issues[index];
            const StallEnds& stalls = issue.event.stalls;
            check_order(warp, index);
            check_guarded_barrier(warp, index);
            check_execution(issue);
            for (const std::int64_t until : stalls.until)
                if (until > issue.event.cycle)
                    run_.report_issue(issue, fmt::format("stalls: issues before {}", until));
            if (index == 0) {
                const std::int64_t start = warp.starts.front().cycle;
                if (issue.event.since != start || stalls[Stall::Gap] != start ||
                    issue.event.cycle < start)
                    run_.report_issue(issue, fmt::format("C1: the warp starts at {}", start));
            } else {
                const std::int64_t before = warp.issues[index - 1].event.cycle;
                const Interval gap = run_.gap_after(warp.issues[index - 1], issue);
                if (issue.event.since != before + 1)
                    run_.report_issue(issue, "order: its predecessor issued in another cycle");
                if (!within(stalls[Stall::Gap] - before, gap.lo, gap.hi) ||
                    issue.event.cycle < before + gap.lo)
                    run_.report_issue(issue,
                                      fmt::format("C4: the preceding issue was at {}", before));
            }
            if (run_.timing(issue).waits_for_registers) {
                const std::int64_t at = registers_ready(ready, issue);
                if (stalls[Stall::Register] != at || issue.event.cycle < at)
                    run_.report_issue(issue, fmt::format("C5: its registers are ready at {}", at));
            }
            check_scoreboards(index == 0 ? nullptr : &warp.issues[index - 1], releases, issue);
            if (!issue.event.executed || issue.completed.empty()) continue;
            for (const assembly::Register& reg : run_.effects[issue.event.instruction].writes)
                ready[reg] = issue.completed.front();
        }
    }

private:
    using Releases = std::map<int, std::vector<std::int64_t>>; ///< By scoreboard, in time order.

    [[nodiscard]] bool is_amd() const { return assembly::is_amd(run_.kernel.function->target); }

    /// C6 and C85. `releases`: of what issued before `before`, the predecessor; its own are added.
    void check_scoreboards(const Issue* before, Releases& releases, Issue& issue) {
        issue.clear_unseen = scoreboards_clear(releases, issue);
        if (before == nullptr) {
            if (issue.event.stalls[Stall::Scoreboard] != 0)
                run_.report_issue(issue, "C6: nothing is outstanding at its start");
            return;
        }
        add_releases(*before, releases);
        const std::int64_t clear = scoreboards_clear(releases, issue);
        const auto* delay = run_.machine.schedulers.find("counter-delay");
        const Interval unseen = delay == nullptr ? Interval{0, 0, 0} : *delay->interval;
        issue.unseen_until = before->event.cycle + unseen.lo;
        const auto fits = [&](std::int64_t at) {
            return issue.event.stalls[Stall::Scoreboard] == at && issue.event.cycle >= at;
        };
        const bool sees =
            (delay == nullptr || issue.event.cycle > issue.unseen_until) && fits(clear);
        const bool misses =
            issue.event.cycle <= before->event.cycle + unseen.hi && fits(issue.clear_unseen);
        if (!sees && !misses)
            run_.report_issue(issue, fmt::format("C6: its scoreboards are clear at {}, or without "
                                                 "the latest increment at {}; it waited until {}",
                                                 clear, issue.clear_unseen,
                                                 issue.event.stalls[Stall::Scoreboard]));
    }

    void add_releases(const Issue& issue, Releases& releases) {
        const auto& control = run_.instruction(issue).control;
        if (!issue.event.executed || issue.completed.empty() || !control) return;
        if (control->write_barrier)
            insert(releases[*control->write_barrier], released(issue, *control->write_barrier));
        if (control->read_barrier && !issue.sources_read.empty())
            insert(releases[*control->read_barrier], issue.sources_read.front());
    }

    /// When the result releases its scoreboard: on AMD's counters no earlier than what the
    /// wavefront issued before it, where both return in order (C99).
    std::int64_t released(const Issue& issue, int scoreboard) {
        const std::int64_t completed = issue.completed.front();
        if (!is_amd() || !assembly::amd::releases_in_order(run_.instruction(issue)))
            return completed;
        std::int64_t& last = last_in_order_[scoreboard];
        last = std::max(last, completed);
        return last;
    }

    void check_order(const WarpRecord& warp, std::size_t index) {
        const Issue& issue = warp.issues[index];
        const auto& blocks = run_.kernel.graph->blocks;
        if (!within(static_cast<std::int64_t>(issue.event.instruction),
                    static_cast<std::int64_t>(blocks[issue.event.block].first),
                    static_cast<std::int64_t>(blocks[issue.event.block].last))) {
            run_.report_issue(issue, "order: not in its block");
            return;
        }
        if (issue.event.number != static_cast<std::int64_t>(index))
            run_.report_issue(issue, "order: numbered wrongly");
        const bool last = index + 1 == warp.issues.size();
        if (last && (!blocks[issue.event.block].exits ||
                     issue.event.instruction != blocks[issue.event.block].last ||
                     issue.event.cycle != warp.ends.front()))
            run_.report_issue(issue, "C2: the warp does not end with it");
    }

    /// C9a: a guarded barrier right before a branch with the same predicate goes with it.
    void check_guarded_barrier(const WarpRecord& warp, std::size_t index) {
        const Issue& issue = warp.issues[index];
        const auto& barrier = run_.instruction(issue);
        const auto& code = run_.kernel.function->instructions;
        const std::size_t last = run_.kernel.graph->blocks[issue.event.block].last;
        if (barrier.opcode_class != assembly::OpcodeClass::Barrier ||
            !run_.timing(issue).is_barrier_wait || !assembly::is_guarded(barrier) ||
            issue.event.instruction + 1 != last || index + 2 >= warp.issues.size() ||
            !run_.kernel.facts->divergents.empty() || run_.kernel.recorded != nullptr)
            return;
        const auto& branch = code[last];
        if (branch.control_flow != assembly::ControlFlow::Branch || !branch.guard ||
            branch.operands.size() != 1 ||
            branch.guard->predicate.index != barrier.guard->predicate.index)
            return;
        const auto& next = run_.kernel.graph->blocks[warp.issues[index + 2].event.block];
        const bool taken = next.first != last + 1;
        const bool agrees = branch.guard->predicate.negated == barrier.guard->predicate.negated;
        if (issue.event.executed != (taken == agrees))
            run_.report_issue(issue, "C9a: its guard is not that of the branch behind it");
    }

    void check_execution(const Issue& issue) {
        const auto& code = run_.instruction(issue);
        const auto& event = issue.event;
        const InstructionTiming& t = run_.timing(issue);
        const bool may_be_predicated_off =
            assembly::is_guarded(code) && !guard_directs(code.control_flow);
        if (!event.executed && !may_be_predicated_off)
            run_.report_issue(issue, "C10: predicated off");
        if (event.executed && may_be_predicated_off && code.guard->never())
            run_.report_issue(issue, "C10: executes under @!PT");
        const bool reads = event.executed && code.control && code.control->read_barrier;
        if (issue.completed.size() != (event.executed ? 1U : 0U))
            run_.report_issue(issue, fmt::format("C13: has {} results", issue.completed.size()));
        if (issue.sources_read.size() != (reads ? 1U : 0U))
            run_.report_issue(
                issue, fmt::format("C14: reads its sources {} times", issue.sources_read.size()));
        if (!event.executed) {
            if (event.port_until != event.cycle) run_.report_issue(issue, "C11: occupies a port");
            return;
        }
        const bool counted = run_.run.trace != nullptr && t.access.rule != models::PassRule::None;
        if (!counted && !within(event.passes, t.passes.lo, t.passes.hi))
            run_.report_issue(issue, fmt::format("C12: {} passes", event.passes));
        const std::int64_t begin = run_.begin_of(issue);
        const std::int64_t until =
            issue.entered.empty() ? event.port_until : issue.entered.front().until;
        const std::int64_t port_from = issue.entered.empty() ? event.cycle : begin;
        if (t.queue ? until != event.cycle
                    : !within(until - port_from, port_use(t, event.passes).lo,
                              port_use(t, event.passes).hi))
            run_.report_issue(issue, fmt::format("C12: occupies its port until {}", until));
        const std::int64_t write_back =
            run_.collects() ? value_of(run_.machine.register_file, "write-back").lo : 0;
        // From the beginning to the hand-over (C74).
        const std::int64_t queued = issue.handed_over.empty() ? 0 : issue.handed_over.front().entry;
        const auto check_after = [&](const std::vector<std::int64_t>& cycles, const Interval& first,
                                     std::int64_t offset, std::string_view what) {
            const std::int64_t further = event.passes - 1;
            for (const std::int64_t cycle : cycles)
                if (!within(cycle - begin - offset,
                            std::max(queued, first.lo + further * t.pass_cost.lo),
                            std::max(queued, first.hi + further * t.pass_cost.hi)))
                    run_.report_issue(issue, fmt::format("{} at {}", what, cycle));
        };
        if (models::is_atomic_at_l2(t)) {
            // Its result time is checked with those of the other atomics.
        } else if (!t.through_caches || t.enters_write_buffer) {
            check_after(issue.due, t.latency, write_back, "C13: completes");
        } else if (!issue.due.empty()) {
            const std::int64_t nearest =
                memory_value(run_.machine, "l1", "latency").lo - run_.entry_of_loads();
            if (issue.due.front() <
                run_.arrival_of(issue) + (event.passes - 1) * t.pass_cost.lo + nearest + write_back)
                run_.report_issue(issue,
                                  fmt::format("C24: completes at {}", issue.completed.front()));
        }
        // Collected operands are read at least one cycle after the entry into the unit (C50).
        const std::int64_t least = run_.collects() ? 1
                                   : t.queue       ? queued - t.queue->sources_before
                                                   : 0;
        for (const std::int64_t cycle : issue.sources_due)
            if (!within(cycle - begin,
                        std::max(least, t.source_read.lo + (event.passes - 1) * t.pass_cost.lo),
                        std::max(least, t.source_read.hi + (event.passes - 1) * t.pass_cost.hi)))
                run_.report_issue(issue, fmt::format("C14: has read its sources at {}", cycle));
    }

    /// When the registers that the issue reads or writes are ready (C5).
    std::int64_t registers_ready(const std::map<assembly::Register, std::int64_t>& ready,
                                 const Issue& issue) const {
        std::int64_t at = 0;
        const auto& effects = run_.effects[issue.event.instruction];
        for (const auto* registers : {&effects.reads, &effects.writes})
            for (const assembly::Register& reg : *registers)
                if (const auto found = ready.find(reg); found != ready.end())
                    at = std::max(at, found->second);
        return at;
    }

    static void insert(std::vector<std::int64_t>& times, std::int64_t time) {
        times.insert(std::upper_bound(times.begin(), times.end(), time), time);
    }

    /// When the scoreboards for which the issue waits are clear (C6).
    std::int64_t scoreboards_clear(Releases& releases, const Issue& issue) const {
        const auto& code = run_.instruction(issue);
        if (!code.control) return 0;
        std::int64_t at = 0;
        const auto wait = [&](int scoreboard, std::size_t allowed) {
            const auto& times = releases[scoreboard];
            if (times.size() > allowed) at = std::max(at, times[times.size() - 1 - allowed]);
        };
        for (int scoreboard = 0; scoreboard < assembly::scoreboard_count; ++scoreboard)
            if (((code.control->wait_mask >> scoreboard) & 1) != 0) wait(scoreboard, 0);
        if (code.opcode_class != assembly::OpcodeClass::DependenceBarrier) return at;
        if (is_amd()) {
            for (const auto& counts :
                 assembly::amd::counted_waits(code, run_.kernel.function->target))
                wait(counts.scoreboard, static_cast<std::size_t>(counts.most));
            return at;
        }
        std::optional<int> counted;
        std::size_t allowed = 0;
        for (const assembly::Operand& operand : code.operands) {
            if (const auto* sb = std::get_if<assembly::ScoreboardOperand>(&operand))
                counted = sb->index;
            else if (const auto* limit = std::get_if<assembly::ImmediateOperand>(&operand))
                allowed = static_cast<std::size_t>(limit->integer.value_or(0));
        }
        if (counted) wait(*counted, allowed);
        return at;
    }

    RecordedLaunch& run_;
    std::map<int, std::int64_t> last_in_order_; ///< Latest release of a counter of AMD.
};

} // namespace

void check_warps(RecordedLaunch& run) {
    WarpChecker checks{run};
    for (WarpRecord& warp : run.warps)
        checks.check_warp(warp);
}

} // namespace warpbound::tests
