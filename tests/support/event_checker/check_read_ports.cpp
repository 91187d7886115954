// Control and Allocate (C60), read ports (C61) and the reuse cache (C62), from the issues in order.

#include "assembly/isa/operand_reads.hpp"
#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpbound::tests {

namespace {

/// The stages of one scheduler.
class Stages {
public:
    explicit Stages(RecordedLaunch& run)
        : run_{run}, banks_{value(run, "banks")}, window_{value(run, "read-window")},
          slots_{value(run, "reuse-slots")} {}

    void pass(const Issue& issue) {
        const std::int64_t at = issue.event.cycle;
        if (at < control_free_)
            run_.report_issue(issue,
                              fmt::format("C60: Control is free for it at {}", control_free_));
        const bool is_fixed = assembly::has_fixed_latency(run_.instruction(issue));
        if (issue.granted.size() != (is_fixed ? 1U : 0U)) {
            run_.report_issue(issue, fmt::format("C60: {} grants", issue.granted.size()));
            return;
        }
        control_free_ = at + 1;
        if (is_fixed) allocate(issue);
        run_.control_free[run_.scheduler_of(issue)][at] = control_free_;
    }

private:
    static std::int64_t value(const RecordedLaunch& run, const char* name) {
        return value_of(run.machine.register_file, name).lo;
    }

    void allocate(const Issue& issue) {
        const auto& granted = issue.granted.front();
        check_reads(issue);
        const std::int64_t enters = std::max(issue.event.cycle + 2, granted_at_ + 1);
        std::int64_t at = enters;
        for (const std::int64_t reads : granted.banks)
            at = std::max(at, enters + reads - window_);
        const auto unit = run_.timing(issue).unit;
        const bool has_latch =
            issue.event.executed && run_.machine.units[unit].scope == models::UnitScope::Partition;
        if (has_latch) at = std::max(at, latch_free_[unit]);
        for (std::size_t bank = 0; bank < granted.banks.size(); ++bank)
            if (granted.banks[bank] > 0)
                at = std::max(at, last_read_[bank] + granted.banks[bank] - window_);
        if (granted.cycle != at)
            run_.report_issue(issue,
                              fmt::format("C61: granted at {} instead of {}", granted.cycle, at));
        for (std::size_t bank = 0; bank < granted.banks.size(); ++bank) {
            const std::int64_t reads = granted.banks[bank];
            // The reads follow the last one of the bank, or begin after the grant; more than fit
            // the window begin earlier.
            if (reads > 0)
                last_read_[bank] =
                    std::max(last_read_[bank] + reads, at + std::min(reads, window_));
        }
        if (has_latch) latch_free_[unit] = at + issue.event.port_until - issue.event.cycle;
        granted_at_ = at;
        control_free_ = enters - 1;
    }

    /// C61, C62: which reads count.
    void check_reads(const Issue& issue) {
        const auto& granted = issue.granted.front();
        std::vector<std::int64_t> most(static_cast<std::size_t>(banks_), 0);
        std::vector<std::set<int>> least(static_cast<std::size_t>(banks_));
        if (granted.banks.size() != most.size() || (issue.event.executed && !granted.reads)) {
            run_.report_issue(issue, "C61: its reads are not complete");
            return;
        }
        const auto operands =
            assembly::operand_reads(run_.instruction(issue), run_.kernel.function->target);
        std::map<std::pair<int, std::int64_t>, int> fills;
        for (const auto& operand : operands)
            for (int reg = operand.first; reg < operand.first + operand.registers; ++reg) {
                const auto bank = static_cast<std::size_t>(reg % banks_);
                const bool has_place = operand.position && *operand.position < slots_;
                const std::pair place{has_place ? *operand.position : -1, reg % banks_};
                const auto kept = kept_.find(place);
                const bool hit = has_place && kept != kept_.end() &&
                                 kept->second == std::pair{issue.event.warp, reg};
                if (has_place)
                    fills[place] =
                        operand.is_reused && operand.has_width && operand.registers <= 2 ? reg : -1;
                if (hit) continue;
                ++most[bank];
                if (operand.has_width || reg == operand.first) least[bank].insert(reg);
            }
        for (std::size_t bank = 0; bank < most.size(); ++bank) {
            const auto fewest =
                granted.reads ? static_cast<std::int64_t>(least[bank].size()) : std::int64_t{0};
            if (!within(granted.banks[bank], fewest, granted.reads ? most[bank] : 0))
                run_.report_issue(issue, fmt::format("C61: reads {} registers of bank {}",
                                                     granted.banks[bank], bank));
        }
        if (!granted.reads) return;
        for (const auto& [place, reg] : fills)
            kept_[place] = reg < 0 ? std::pair{-1, -1} : std::pair{issue.event.warp, reg};
    }

    RecordedLaunch& run_;
    std::int64_t banks_;
    std::int64_t window_;
    std::int64_t slots_;
    std::int64_t control_free_ = 0;
    std::int64_t granted_at_ = 0;
    std::map<std::size_t, std::int64_t> last_read_;  ///< By bank.
    std::map<std::size_t, std::int64_t> latch_free_; ///< By unit.
    /// The warp and register that a position of a bank keeps.
    std::map<std::pair<int, std::int64_t>, std::pair<int, int>> kept_;
};

} // namespace

void check_read_ports(RecordedLaunch& run) {
    if (!run.machine.has_read_ports()) return;
    std::map<int, std::vector<const Issue*>> issues;
    for (const WarpRecord& warp : run.warps)
        for (const Issue& issue : warp.issues)
            issues[run.scheduler_of(issue)].push_back(&issue);
    for (auto& [scheduler, of_scheduler] : issues) {
        std::sort(of_scheduler.begin(), of_scheduler.end(),
                  [](const Issue* a, const Issue* b) { return a->event.cycle < b->event.cycle; });
        Stages stages{run};
        for (const Issue* issue : of_scheduler)
            stages.pass(*issue);
    }
}

} // namespace warpbound::tests
