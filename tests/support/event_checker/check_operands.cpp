#include "tests/support/event_checker/checks.hpp"
#include "tests/support/event_checker/lru_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

using harness::simulator::CacheLevel;
using harness::simulator::LineAccessed;
using harness::simulator::LineFilled;

/// C81 and C82: which lines are looked up, what the caches hold, when lines arrive, which issues
/// wait for them, and while which look-ups a scheduler chooses nobody.
class OperandLookUps {
public:
    explicit OperandLookUps(RecordedLaunch& run)
        : run_{run}, line_{value("line").lo}, miss_{value("miss")}, hold_{value("hold")} {}

    void check() {
        for (const Event& event : run_.run.events) {
            if (const auto* filled = std::get_if<LineFilled>(&event);
                filled != nullptr && filled->level == CacheLevel::Operand)
                fills_[filled->unit].push_back(*filled);
            if (const auto* access = std::get_if<LineAccessed>(&event);
                access != nullptr && access->level == CacheLevel::Operand) {
                accesses_[access->unit].push_back(*access);
                by_warp_[access->warp].push_back(*access);
            }
        }
        for (const auto& [unit, accesses] : accesses_)
            check_cache(unit, accesses);
        for (const WarpRecord& warp : run_.warps)
            check_warp(warp);
        check_holds();
    }

private:
    [[nodiscard]] models::Interval value(const char* name) const {
        return memory_value(run_.machine, "constant", name);
    }
    [[nodiscard]] std::uint64_t number_of(std::uint64_t address) const {
        return address / static_cast<std::uint64_t>(line_);
    }
    void report(const LineAccessed& access, std::string_view what) {
        run_.report(fmt::format("C82: line 0x{:x} of warp {} looked up at {} in {} {}",
                                access.address, access.warp, access.cycle, access.unit, what));
    }

    /// Fills up to the cycle of a look-up come before it; those of one cycle in any order.
    void check_cache(int unit, const std::vector<LineAccessed>& accesses) {
        LruLines cache{value("sets").lo, value("ways")};
        const models::ValueGroup& group = *run_.machine.memory("constant");
        const models::SourcedValue* const warm = group.find("warm");
        const bool is_warm = warm != nullptr && warm->interval->lo == 1;
        if (is_warm) enter_text(cache);
        std::vector<LineFilled> fills = fills_[unit];
        std::stable_sort(fills.begin(), fills.end(), [](const LineFilled& a, const LineFilled& b) {
            return a.cycle < b.cycle;
        });
        std::size_t next = 0;
        std::size_t misses = 0;
        std::map<std::uint64_t, std::int64_t> outstanding; // By address: when it arrives.
        std::int64_t before = 0;
        for (const LineAccessed& access : accesses) {
            if (access.cycle < before) report(access, "after a later one");
            before = access.cycle;
            for (; next < fills.size() && fills[next].cycle <= access.cycle; ++next)
                cache.fill(number_of(fills[next].address));
            if (!cache.allows(number_of(access.address), access.hit != 0))
                report(access, access.hit != 0 ? "hits" : "does not hit");
            if (access.hit != 0) continue;
            std::int64_t& coming_at = outstanding[access.address];
            const bool is_coming = coming_at > access.cycle;
            if (is_coming != (access.merged != 0)) report(access, "is requested twice or not");
            if (access.missed == 0) continue;
            ++misses;
            const std::int64_t at = arrival(access);
            coming_at = at;
            if (!within(at - access.cycle, miss_.lo, miss_.hi))
                report(access, fmt::format("arrives at {}", at));
        }
        if (misses != fills.size())
            run_.report(fmt::format("C82: {} misses and {} lines arrive in {}", misses,
                                    fills.size(), unit));
    }
    void enter_text(LruLines& cache) const {
        for (const assembly::Instruction& instruction : run_.kernel.function->instructions)
            for (const std::uint64_t line : lines_of(instruction))
                cache.fill(number_of(line));
    }
    /// When a line that a look-up did not find is there: with the next fill.
    std::int64_t arrival(const LineAccessed& access) {
        if (access.hit != 0) return access.cycle;
        std::int64_t first = -1;
        for (const LineFilled& fill : fills_[access.unit])
            if (fill.address == access.address && fill.cycle > access.cycle &&
                (first < 0 || fill.cycle < first))
                first = fill.cycle;
        return first;
    }

    /// Line addresses (C51), of what is not loaded from constant memory (C81).
    [[nodiscard]] std::set<std::uint64_t> lines_of(const assembly::Instruction& instruction) const {
        std::set<std::uint64_t> lines;
        if (instruction.opcode_class == assembly::OpcodeClass::LoadConstant) return lines;
        for (const assembly::Operand& operand : instruction.operands)
            if (const auto* constant = std::get_if<assembly::ConstantOperand>(&operand)) {
                const std::int64_t address = constant->bank * 65536 + constant->offset;
                lines.insert(static_cast<std::uint64_t>(address / line_ * line_));
            }
        return lines;
    }

    void check_warp(const WarpRecord& warp) {
        std::size_t next = 0;
        const int number = warp.issues.front().event.warp;
        const auto& accesses = by_warp_[number];
        for (const Issue& issue : warp.issues) {
            if (!issue.event.executed) {
                if (issue.event.stalls[Stall::Constant] != 0)
                    run_.report_issue(issue, "C81: waits for constants that it does not need");
                continue;
            }
            const auto lines = lines_of(run_.instruction(issue));
            if (lines.empty()) continue;
            if (accesses.size() - next < lines.size())
                return run_.report_issue(issue, "C82: does not look up its lines");
            const std::vector<LineAccessed> group(
                accesses.begin() + static_cast<std::ptrdiff_t>(next),
                accesses.begin() + static_cast<std::ptrdiff_t>(next + lines.size()));
            next += lines.size();
            check_group(issue, lines, group);
        }
        if (next < accesses.size())
            run_.report(fmt::format("C82: warp {} looks up a line that it does not need", number));
    }
    void check_group(const Issue& issue, const std::set<std::uint64_t>& lines,
                     const std::vector<LineAccessed>& group) {
        const StallEnds& stalls = issue.event.stalls;
        const std::int64_t at = group.front().cycle;
        std::int64_t there = at;
        auto line = lines.begin();
        for (const LineAccessed& access : group) {
            if (access.address != *line++ || access.cycle != at ||
                access.unit != run_.scheduler_of(issue))
                run_.report_issue(issue, "C82: looks up other lines, or not at once");
            there = std::max(there, arrival(access));
        }
        const std::int64_t own = std::max({stalls[Stall::Gap], stalls[Stall::Barrier],
                                           stalls[Stall::Fetch], stalls[Stall::Register]});
        if (at < own || issue.event.cycle < at)
            run_.report_issue(issue, fmt::format("C82: looks up its lines at {}", at));
        if (stalls[Stall::Constant] != (there > at ? there : 0) || issue.event.cycle < there)
            run_.report_issue(issue, fmt::format("C82: its constants are there at {}", there));
        const std::int64_t held = group.front().held_until;
        for (const LineAccessed& access : group)
            if (access.held_until != held)
                run_.report_issue(issue, "C82: one look-up holds for two times");
        if (!within(held, std::min(there, at + hold_.lo), std::min(there, at + hold_.hi)))
            run_.report_issue(issue, fmt::format("C82: holds its scheduler until {}", held));
        if (there == at) return;
        run_.holds[run_.scheduler_of(issue)][at] = held;
        run_.looked_up[{issue.event.warp, issue.event.number}] = at;
    }

    /// While a scheduler is held it issues nothing.
    void check_holds() {
        for (const WarpRecord& warp : run_.warps)
            for (const Issue& issue : warp.issues) {
                const auto& holds = run_.holds[run_.scheduler_of(issue)];
                auto after = holds.lower_bound(issue.event.cycle);
                if (after != holds.begin() && (--after)->second > issue.event.cycle)
                    run_.report_issue(issue, fmt::format("C82: its scheduler is held from {} to {}",
                                                         after->first, after->second));
            }
    }

    RecordedLaunch& run_;
    std::int64_t line_;
    models::Interval miss_;
    models::Interval hold_;
    std::map<int, std::vector<LineFilled>> fills_;      ///< By cache.
    std::map<int, std::vector<LineAccessed>> accesses_; ///< By cache.
    std::map<int, std::vector<LineAccessed>> by_warp_;
};

} // namespace

void check_operands(RecordedLaunch& run) {
    if (run.machine.has_operand_caches()) OperandLookUps{run}.check();
}

} // namespace warpbound::tests
