// Reads of variable latency (C111): each takes cycles that reads of fixed latency leave free.

#include "assembly/isa/operand_reads.hpp"
#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace warpbound::tests {

namespace {

/// Scheduler and bank.
using Port = std::pair<int, std::int64_t>;

class Reads {
public:
    explicit Reads(RecordedLaunch& run)
        : run_{run}, banks_{value_of(run.machine.register_file, "banks").lo},
          window_{value_of(run.machine.register_file, "read-window").lo} {}

    void check() {
        std::vector<const Issue*> granted;
        for_each_issue([&](const Issue& issue) {
            if (!issue.granted.empty()) granted.push_back(&issue);
        });
        std::sort(granted.begin(), granted.end(), [](const Issue* a, const Issue* b) {
            return a->granted.front().cycle < b->granted.front().cycle;
        });
        for (const Issue* issue : granted)
            take(*issue);
        for_each_issue([&](const Issue& issue) { check(issue); });
    }

private:
    template <class Visit> void for_each_issue(Visit visit) {
        for (const WarpRecord& warp : run_.warps)
            for (const Issue& issue : warp.issues)
                visit(issue);
    }

    void take(const Issue& issue) {
        const auto& granted = issue.granted.front();
        for (std::size_t bank = 0; bank < granted.banks.size(); ++bank) {
            const std::int64_t reads = granted.banks[bank];
            if (reads == 0) continue;
            const Port port{run_.scheduler_of(issue), static_cast<std::int64_t>(bank)};
            auto& last = last_[port];
            last = std::max(last + reads, granted.cycle + std::min(reads, window_));
            for (std::int64_t cycle = last - reads + 1; cycle <= last; ++cycle)
                taken_[port].insert(cycle);
        }
    }

    /// Registers that the instruction reads, by bank.
    [[nodiscard]] std::map<std::int64_t, std::int64_t> registers_of(const Issue& issue) const {
        std::map<std::int64_t, std::int64_t> registers;
        for (const auto& operand :
             assembly::operand_reads(run_.instruction(issue), run_.kernel.function->target))
            for (int reg = operand.first; reg < operand.first + operand.registers; ++reg)
                ++registers[reg % banks_];
        return registers;
    }

    void check(const Issue& issue) {
        const assembly::Instruction& code = run_.instruction(issue);
        const auto registers = registers_of(issue);
        const bool waits = issue.event.executed && !assembly::has_fixed_latency(code) &&
                           !registers.empty() &&
                           (assembly::has_result(code) || !issue.sources_due.empty());
        if (issue.queued.size() != (waits ? 1U : 0U)) {
            run_.report_issue(issue, fmt::format("C111: {} reads", issue.queued.size()));
            return;
        }
        if (!waits) return;
        const auto& read = issue.queued.front();
        const std::int64_t due = read.cycle - read.waited;
        check_due(issue, due);
        std::int64_t at = due;
        for (const auto& [bank, count] : registers)
            at = std::max(at, last_read(taken_[{run_.scheduler_of(issue), bank}], due, count));
        if (read.cycle != at)
            run_.report_issue(
                issue,
                fmt::format("C111: reads its last register at {} instead of {}", read.cycle, at));
    }

    /// The smaller of source read and result, both without waits.
    void check_due(const Issue& issue, std::int64_t due) {
        const InstructionTiming& timing = run_.timing(issue);
        const std::int64_t further = issue.event.passes - 1;
        Interval sources{issue.event.cycle + timing.source_read.lo + further * timing.pass_cost.lo,
                         std::nullopt,
                         issue.event.cycle + timing.source_read.hi + further * timing.pass_cost.hi};
        if (!issue.sources_due.empty()) sources.lo = sources.hi = issue.sources_due.front();
        if (assembly::has_result(run_.instruction(issue))) {
            sources.lo = std::min(sources.lo, issue.due.front());
            sources.hi = std::min(sources.hi, issue.due.front());
        }
        if (!within(due, sources.lo, sources.hi))
            run_.report_issue(issue, fmt::format("C111: its reads are due at {} instead of {}..{}",
                                                 due, sources.lo, sources.hi));
    }

    static std::int64_t last_read(const std::set<std::int64_t>& taken, std::int64_t due,
                                  std::int64_t registers) {
        std::int64_t cycle = due - registers;
        for (std::int64_t left = registers; left > 0;)
            if (!taken.contains(++cycle)) --left;
        return cycle;
    }

    RecordedLaunch& run_;
    std::int64_t banks_;
    std::int64_t window_;
    std::map<Port, std::int64_t> last_;            ///< Last cycle in which the port is taken.
    std::map<Port, std::set<std::int64_t>> taken_; ///< Cycles of reads of fixed latency.
};

} // namespace

void check_queued_reads(RecordedLaunch& run) {
    if (run.machine.has_variable_latency_reads()) {
        Reads{run}.check();
        return;
    }
    for (const WarpRecord& warp : run.warps)
        for (const Issue& issue : warp.issues)
            if (!issue.queued.empty())
                run.report_issue(issue, "C111: waits for read ports though none is described");
}

} // namespace warpbound::tests
