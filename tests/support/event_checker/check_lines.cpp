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

/// C66 to C70: which lines are looked up, what the caches hold, when lines arrive, and which issues
/// wait for them.
class InstructionLines {
public:
    explicit InstructionLines(RecordedLaunch& run)
        : run_{run}, bytes_{static_cast<std::uint64_t>(value("line").lo)} {}

    void check() {
        collect();
        for (auto& [sm, groups] : groups_)
            check_l1(sm, groups);
        for (const auto& [unit, accesses] : l0_)
            check_l0(unit, accesses);
        for (const WarpRecord& warp : run_.warps)
            check_warp(warp);
    }

private:
    using Interval = models::Interval;
    /// A line of the L0 or the L1, with the number of the cache.
    using Key = std::pair<int, std::uint64_t>;
    /// Lines that a look-up in an L0 requested together (C68).
    struct Group {
        int unit = 0;
        LineAccessed access;
        std::vector<Interval> arrivals; ///< Per line that the L1 has looked up.
    };

    [[nodiscard]] Interval value(const char* name) const {
        return value_of(run_.machine.fetch, name);
    }
    [[nodiscard]] std::uint64_t line_of(std::uint64_t address) const { return address / bytes_; }
    /// A cache at the start (C70).
    [[nodiscard]] LruLines begun(std::int64_t sets, Interval ways) const {
        LruLines cache{sets, ways};
        const models::SourcedValue* const warm = run_.machine.fetch.find("warm");
        if (warm != nullptr && warm->interval->lo == 1)
            for (const assembly::Instruction& instruction : run_.kernel.function->instructions)
                cache.fill(line_of(static_cast<std::uint64_t>(instruction.address)));
        return cache;
    }
    void wrong(const LineAccessed& access, std::string_view what) {
        run_.report(fmt::format("C68: line {} of warp {} looked up at {} in {} {}",
                                line_of(access.address), access.warp, access.cycle, access.unit,
                                what));
    }

    void collect() {
        for (const Event& event : run_.run.events) {
            if (const auto* filled = std::get_if<LineFilled>(&event)) {
                if (filled->level == CacheLevel::InstructionL0)
                    l0_fills_[{filled->unit, line_of(filled->address)}].push_back(filled->cycle);
                if (filled->level == CacheLevel::InstructionL1)
                    l1_fills_[{filled->unit, line_of(filled->address)}].push_back(filled->cycle);
                all_fills_[{static_cast<int>(filled->level), filled->unit}].push_back(*filled);
            }
            const auto* access = std::get_if<LineAccessed>(&event);
            if (access == nullptr) continue;
            if (access->level == CacheLevel::InstructionL1) l1_[access->unit].push_back(*access);
            if (access->level != CacheLevel::InstructionL0) continue;
            l0_[access->unit].push_back(*access);
            by_warp_[access->warp].push_back(*access);
            if (access->missed == 0) continue;
            const auto streamed = streamed_.try_emplace(access->unit, access->streamed).first;
            const auto lines = static_cast<std::int64_t>(access->streamed);
            if (!within(lines, value("stream").lo, value("stream").hi) ||
                streamed->second != access->streamed)
                wrong(*access, fmt::format("streams {} lines", lines));
            groups_[access->unit / run_.schedulers].push_back(
                Group{.unit = access->unit, .access = *access, .arrivals = {}});
        }
    }

    /// The first fill of the line after the cycle.
    static std::optional<std::int64_t>
    fill_after(const std::map<Key, std::vector<std::int64_t>>& fills, const Key& key,
               std::int64_t cycle) {
        const auto found = fills.find(key);
        if (found == fills.end()) return std::nullopt;
        const auto next = std::upper_bound(found->second.begin(), found->second.end(), cycle);
        return next == found->second.end() ? std::nullopt : std::optional{*next};
    }

    /// Replays the fills of a cache up to a cycle.
    void fill_until(LruLines& cache, std::size_t& next, CacheLevel level, int unit,
                    std::int64_t cycle) {
        const auto& fills = all_fills_[{static_cast<int>(level), unit}];
        for (; next < fills.size() && fills[next].cycle <= cycle; ++next)
            cache.fill(line_of(fills[next].address));
    }

    /// C69: groups in the order of their requests, line after line.
    void check_l1(int sm, std::vector<Group>& groups) {
        LruLines cache = begun(value("l1-sets").lo, value("l1-ways"));
        std::size_t next_fill = 0;
        Group* group = nullptr;
        std::set<Group*> open;
        for (Group& one : groups)
            open.insert(&one);
        std::optional<std::int64_t> last;
        const Interval service = value("l1-service");
        for (const LineAccessed& access : l1_[sm]) {
            if (group == nullptr) group = find_group(groups, open, access);
            if (group == nullptr)
                return wrong(access, "in the L1 is not the next one requested (C69)");
            const std::uint64_t expected = line_of(group->access.address) + group->arrivals.size();
            const std::int64_t from = group->access.cycle;
            const std::int64_t soonest = last ? std::max(from, *last + service.lo) : from;
            const std::int64_t latest = last ? std::max(from, *last + service.hi) : from;
            if (line_of(access.address) != expected || access.warp != group->access.warp ||
                !within(access.cycle, soonest, latest))
                return wrong(access, "in the L1 is out of order or time (C69)");
            last = access.cycle;
            fill_until(cache, next_fill, CacheLevel::InstructionL1, sm, access.cycle);
            if (!cache.allows(expected, access.hit != 0))
                wrong(access, "in the L1 has the wrong hit");
            group->arrivals.push_back(arrival(access));
            if (group->arrivals.size() <= group->access.streamed) continue;
            open.erase(group);
            group = nullptr;
        }
    }
    static Group* find_group(std::vector<Group>& groups, const std::set<Group*>& open,
                             const LineAccessed& access) {
        std::int64_t first = INT64_MAX;
        for (const Group* one : open)
            first = std::min(first, one->access.cycle);
        for (Group& one : groups)
            if (open.contains(&one) && one.access.cycle == first &&
                one.access.warp == access.warp && one.access.address == access.address)
                return &one;
        return nullptr;
    }
    /// When a line arrives at the L0 that the L1 looks up.
    Interval arrival(const LineAccessed& access) {
        const Interval to_l0 = value("l0-miss");
        const auto filled =
            fill_after(l1_fills_, {access.unit, line_of(access.address)}, access.cycle);
        std::int64_t there = access.cycle;
        if (access.hit == 0) {
            const Interval miss = value("l1-miss");
            if (access.missed != 0 && filled && !within(*filled - access.cycle, miss.lo, miss.hi))
                wrong(access, fmt::format("in the L1 is filled at {}", *filled));
            there = filled.value_or(access.cycle + miss.lo);
            if (!filled) return {there + to_l0.lo, std::nullopt, INT64_MAX};
        }
        return {there + to_l0.lo, std::nullopt, there + to_l0.hi};
    }

    /// C68: what the L0 and its stream buffer hold.
    void check_l0(int unit, const std::vector<LineAccessed>& accesses) {
        LruLines cache = begun(value("l0-sets").lo, value("l0-ways"));
        std::size_t next_fill = 0;
        std::map<std::uint64_t, std::int64_t> needed; ///< Lines in flight: their fill, if known.
        const Group* streamed = nullptr;
        std::set<std::uint64_t> stream;
        auto group = groups_[unit / run_.schedulers].cbegin();
        for (const LineAccessed& access : accesses) {
            const std::uint64_t line = line_of(access.address);
            fill_until(cache, next_fill, CacheLevel::InstructionL0, unit, access.cycle);
            std::erase_if(needed, [&](const auto& entry) { return entry.second <= access.cycle; });
            const bool is_present = access.hit != 0;
            const bool in_stream = stream.contains(line);
            const bool is_coming = !is_present && (needed.contains(line) || in_stream);
            if (!cache.allows(line, is_present) || (access.merged != 0) != is_coming)
                wrong(access, "is reported as what it is not");
            const auto filled = fill_after(l0_fills_, {unit, line}, access.cycle);
            if (is_present || needed.contains(line)) continue;
            needed[line] = filled.value_or(INT64_MAX);
            if (access.missed != 0) {
                while (group->unit != unit)
                    ++group;
                streamed = &*group++;
                stream.clear();
                for (std::uint64_t i = 1; i <= access.streamed; ++i)
                    stream.insert(line + i);
            } else {
                stream.erase(line);
            }
            const std::size_t index = line - line_of(streamed->access.address);
            if (!filled || index >= streamed->arrivals.size()) continue;
            const Interval at = streamed->arrivals[index];
            if (!within(*filled, std::max(at.lo, access.cycle + 1),
                        std::max(at.hi, access.cycle + 1)))
                wrong(access, fmt::format("is filled at {}", *filled));
            arrivals_[{unit, line}][*filled] = *filled > access.cycle + 1
                                                   ? Interval{*filled, {}, *filled}
                                                   : Interval{at.lo, {}, *filled};
        }
    }

    /// C67: the look-ups of a warp, and its issues.
    void check_warp(const WarpRecord& warp) {
        const auto& accesses = by_warp_[warp.issues.front().event.warp];
        std::size_t next = 0;
        for (std::size_t i = 0; i < warp.issues.size(); ++i) {
            const Issue& issue = warp.issues[i];
            const std::int64_t at =
                i == 0 ? warp.starts.front().cycle : warp.issues[i - 1].event.cycle;
            const std::uint64_t line =
                line_of(static_cast<std::uint64_t>(run_.instruction(issue).address));
            const bool is_next = next < accesses.size() && accesses[next].cycle == at &&
                                 line_of(accesses[next].address) == line;
            if (is_next)
                check_wait(issue, accesses[next++], run_.scheduler_of(warp));
            else if (i == 0 || needs_look_up(warp.issues[i - 1], issue, line))
                return run_.report_issue(issue, fmt::format("C67: line {} is not looked up", line));
            else if (issue.event.stalls[Stall::Fetch] != 0)
                run_.report_issue(issue, "C67: waits for a line without a look-up");
        }
        if (next < accesses.size()) wrong(accesses[next], "is not needed (C67)");
    }
    [[nodiscard]] bool needs_look_up(const Issue& before, const Issue& issue,
                                     std::uint64_t line) const {
        const auto line_before =
            line_of(static_cast<std::uint64_t>(run_.instruction(before).address));
        return line_before != line || issue.event.instruction != before.event.instruction + 1;
    }
    void check_wait(const Issue& issue, const LineAccessed& access, int unit) {
        const std::int64_t waits = issue.event.stalls[Stall::Fetch];
        Interval there{access.cycle, {}, access.cycle};
        const std::uint64_t line = line_of(access.address);
        if (access.hit == 0)
            if (const auto filled = fill_after(l0_fills_, {unit, line}, access.cycle))
                there = arrivals_[{unit, line}][*filled];
        if (issue.event.cycle < waits || access.unit != unit ||
            !within(waits, std::max(access.cycle, there.lo), std::max(access.cycle, there.hi)))
            run_.report_issue(issue, fmt::format("C67: its line is there from {} on", there.lo));
    }

    RecordedLaunch& run_;
    std::uint64_t bytes_;
    std::map<int, std::uint64_t> streamed_;       ///< By L0: the lines that each miss streams.
    std::map<int, std::vector<LineAccessed>> l0_; ///< By cache.
    std::map<int, std::vector<LineAccessed>> l1_;
    std::map<int, std::vector<LineAccessed>> by_warp_; ///< In L0s.
    std::map<Key, std::vector<std::int64_t>> l0_fills_;
    std::map<Key, std::vector<std::int64_t>> l1_fills_;
    std::map<std::pair<int, int>, std::vector<LineFilled>> all_fills_; ///< By level and cache.
    std::map<int, std::vector<Group>> groups_;                         ///< By SM.
    /// When lines arrived, by L0 and line and then by the cycle of their fill.
    std::map<Key, std::map<std::int64_t, Interval>> arrivals_;
};

} // namespace

void check_lines(RecordedLaunch& run) {
    if (run.machine.has_instruction_caches()) InstructionLines{run}.check();
}

} // namespace warpbound::tests
