#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

using harness::simulator::CacheLevel;
using harness::simulator::LineAccessed;
using harness::simulator::LineFilled;

/// C51 to C53, warp by warp: which lines are looked up, when, and which issues wait for them. The
/// content of the cache is checked with the other caches.
class ConstantAccesses {
public:
    explicit ConstantAccesses(RecordedLaunch& run)
        : run_{run}, line_{memory_value(run.machine, "constant", "line").lo} {
        for (const Event& event : run_.run.events) {
            if (const auto* filled = std::get_if<LineFilled>(&event);
                filled != nullptr && filled->level == CacheLevel::Constant)
                arrivals_[{filled->unit, filled->address}].push_back(filled->cycle);
            if (const auto* access = std::get_if<LineAccessed>(&event);
                access != nullptr && access->level == CacheLevel::Constant)
                accesses_[access->warp].push_back(*access);
        }
    }

    void check() {
        for (const WarpRecord& warp : run_.warps) {
            std::size_t next = 0;
            for (const Issue& issue : warp.issues)
                next = check(issue, next);
            const int number = warp.issues.front().event.warp;
            if (next < accesses_[number].size())
                run_.report(
                    fmt::format("C52: warp {} looks up a line that it does not need", number));
        }
    }

private:
    /// Line addresses (C51).
    [[nodiscard]] std::set<std::uint64_t> lines_of(const Issue& issue) const {
        std::set<std::uint64_t> lines;
        if (!issue.event.executed) return lines;
        for (const assembly::Operand& operand : run_.instruction(issue).operands)
            if (const auto* constant = std::get_if<assembly::ConstantOperand>(&operand)) {
                const std::int64_t address = constant->bank * 65536 + constant->offset;
                lines.insert(static_cast<std::uint64_t>(address / line_ * line_));
            }
        return lines;
    }

    /// Returns the index of the first access that belongs to the next issue.
    std::size_t check(const Issue& issue, std::size_t next) {
        const StallEnds& stalls = issue.event.stalls;
        const auto& accesses = accesses_[issue.event.warp];
        std::int64_t own =
            std::max({stalls[Stall::Gap], stalls[Stall::Barrier], stalls[Stall::Fetch],
                      stalls[Stall::Register], stalls[Stall::Scoreboard]});
        if (run_.machine.units[run_.timing(issue).unit].scope == models::UnitScope::Warp)
            own = std::max(own, stalls[Stall::Port]);
        std::int64_t there = own;
        for (const std::uint64_t line : lines_of(issue)) {
            if (next == accesses.size() || accesses[next].address != line ||
                accesses[next].cycle != own) {
                run_.report_issue(issue,
                                  fmt::format("C52: does not look up 0x{:x} at {}", line, own));
                return next;
            }
            there = std::max(there, arrival(accesses[next++]));
        }
        if (stalls[Stall::Constant] != (there > own ? there : 0) || issue.event.cycle < there)
            run_.report_issue(issue, fmt::format("C53: its constants are present at {}", there));
        return next;
    }

    std::int64_t arrival(const LineAccessed& access) {
        if (access.hit != 0) return access.cycle;
        const auto& cycles = arrivals_[{access.unit, access.address}];
        const auto found = std::upper_bound(cycles.begin(), cycles.end(), access.cycle);
        if (found == cycles.end()) return access.cycle; // Reported by the check of the caches.
        const Interval miss = memory_value(run_.machine, "constant", "miss");
        if (access.missed != 0 && !within(*found - access.cycle, miss.lo, miss.hi))
            run_.report(
                fmt::format("C52: a line missed at {} is filled at {}", access.cycle, *found));
        return *found;
    }

    RecordedLaunch& run_;
    std::int64_t line_;
    /// By SM and address.
    std::map<std::pair<int, std::uint64_t>, std::vector<std::int64_t>> arrivals_;
    std::map<int, std::vector<LineAccessed>> accesses_; ///< By warp.
};

} // namespace

void check_constants(RecordedLaunch& run) {
    const auto* const constant = run.machine.memory("constant");
    if (constant != nullptr && !constant->values.empty() && !run.machine.has_operand_caches())
        ConstantAccesses{run}.check();
}

} // namespace warpbound::tests
