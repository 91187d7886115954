#include "harness/recorded_launch.hpp"
#include "tests/support/event_checker/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

using harness::trace::SassTrace;
using harness::trace::TracedIssue;
using harness::trace::TracedWarp;

/// The passes of an access by C22, lane by lane.
class PassCounter {
public:
    PassCounter(const InstructionTiming& timing, const TracedIssue& issue)
        : rule_{timing.access}, lanes_{harness::trace::addresses_of(issue)} {
        for (std::uint64_t& address : lanes_)
            address %= std::uint64_t{1} << 48U; // C21
        for (std::uint32_t left = issue.mask, lane = 0; left != 0; left >>= 1U, ++lane)
            if ((left & 1U) != 0) numbers_.push_back(lane);
    }

    /// At most: those of a global atomic are drawn up to the sum over the sectors.
    [[nodiscard]] std::int64_t most_passes() const {
        if (looks_up_several_lines()) return std::max(banks(), line_count());
        const bool by_sectors = rule_.rule == models::PassRule::GlobalAtomic && rule_.sector != 0;
        return by_sectors ? atomics_by(rule_.sector) : passes();
    }
    /// At least.
    [[nodiscard]] std::int64_t passes() const {
        switch (rule_.rule) {
        case models::PassRule::Lines:
            return looks_up_several_lines()
                       ? std::max(banks(), (line_count() + together() - 1) / together())
                       : line_count();
        case models::PassRule::GlobalAtomic:
            return atomics_by(rule_.line);
        case models::PassRule::Banks:
        case models::PassRule::SharedAtomic:
            return banks();
        default:
            return 1;
        }
    }

private:
    using Counts = std::map<std::uint64_t, std::int64_t>;

    static std::int64_t most(const Counts& counts) {
        std::int64_t largest = 0;
        for (const auto& [key, count] : counts)
            largest = std::max(largest, count);
        return largest;
    }
    [[nodiscard]] std::int64_t together() const {
        return static_cast<std::int64_t>(rule_.lines_per_pass);
    }
    [[nodiscard]] bool looks_up_several_lines() const {
        return rule_.rule == models::PassRule::Lines && rule_.lines_per_pass > 1;
    }
    [[nodiscard]] std::int64_t line_count() const {
        return static_cast<std::int64_t>(lines().size());
    }
    [[nodiscard]] std::set<std::uint64_t> lines() const {
        std::set<std::uint64_t> found;
        for (const std::uint64_t address : lanes_)
            for (std::uint64_t byte = 0; byte < rule_.bytes; ++byte)
                found.insert((address + byte) / rule_.line);
        return found;
    }
    /// Over the lines or sectors of so many bytes, the most lanes on one address.
    [[nodiscard]] std::int64_t atomics_by(std::uint64_t bytes) const {
        std::map<std::uint64_t, Counts> found;
        for (const std::uint64_t address : lanes_)
            ++found[address / bytes][address];
        std::int64_t sum = 0;
        for (const auto& [line, addresses] : found)
            sum += most(addresses);
        return std::max<std::int64_t>(sum, 1);
    }
    [[nodiscard]] std::int64_t banks() const {
        const std::uint64_t group =
            std::clamp<std::uint64_t>(rule_.banks * rule_.width / rule_.bytes, 1, rule_.banks);
        std::map<std::uint64_t, std::map<std::uint64_t, std::multiset<std::uint64_t>>> words;
        for (std::size_t index = 0; index < lanes_.size(); ++index) {
            std::set<std::uint64_t> own;
            for (std::uint64_t byte = 0; byte < rule_.bytes; ++byte)
                own.insert((lanes_[index] + byte) / rule_.width);
            for (const std::uint64_t word : own)
                words[numbers_[index] / group][word % rule_.banks].insert(word);
        }
        std::int64_t sum = 0;
        for (const auto& [group_of_lanes, by_bank] : words) {
            std::size_t fullest = 0;
            for (const auto& [bank, all] : by_bank) {
                const std::set<std::uint64_t> different(all.begin(), all.end());
                fullest = std::max(fullest, rule_.rule == models::PassRule::SharedAtomic
                                                ? all.size()
                                                : different.size());
            }
            sum += static_cast<std::int64_t>(fullest);
        }
        return std::max<std::int64_t>(sum, 1);
    }

    const models::AccessRule& rule_;
    std::vector<std::uint64_t> lanes_;
    std::vector<std::uint32_t> numbers_;
};

class TraceChecker {
public:
    TraceChecker(RecordedLaunch& run, const SassTrace& trace) : run_{run}, trace_{trace} {}

    void check() {
        for (const auto& block : trace_.blocks)
            for (const TracedWarp& warp : block.warps) {
                const std::int64_t number =
                    block.number[0] +
                    trace_.grid[0] * (block.number[1] + trace_.grid[1] * block.number[2]);
                const auto index =
                    static_cast<std::size_t>(number * run_.warps_per_block + warp.number);
                check_warp(run_.warps.at(index), warp);
            }
    }

private:
    void check_warp(const WarpRecord& record, const TracedWarp& warp) {
        if (record.issues.size() != warp.issues.size())
            return run_.report(fmt::format("C54: a warp issues {} instructions, recorded are {}",
                                           record.issues.size(), warp.issues.size()));
        for (std::size_t index = 0; index < warp.issues.size(); ++index)
            check_issue(record.issues[index], warp.issues[index]);
    }

    void check_issue(const Issue& issue, const TracedIssue& traced) {
        const assembly::Instruction& code = run_.instruction(issue);
        const Issued& event = issue.event;
        if (code.address != traced.address)
            return run_.report_issue(issue, fmt::format("C54: recorded is 0x{:x}", traced.address));
        const bool guarded = assembly::is_guarded(code);
        const bool directs = assembly::transfers_control(code.control_flow) ||
                             code.control_flow == assembly::ControlFlow::Exit;
        if (!guarded && event.lanes != traced.mask)
            run_.report_issue(issue, fmt::format("C55: issues for lanes 0x{:x}", event.lanes));
        if ((traced.mask & ~event.lanes) != 0)
            run_.report_issue(
                issue, fmt::format("C55: lanes 0x{:x} are not all lanes recorded", event.lanes));
        if (event.executing != (directs ? event.lanes : traced.mask) ||
            event.executed != (event.executing != 0))
            run_.report_issue(issue,
                              fmt::format("C54: executes for lanes 0x{:x}", event.executing));
        if (!event.executed || !harness::has_recorded_addresses(code)) return;
        const InstructionTiming& timing = run_.timing(issue);
        if (timing.access.rule == models::PassRule::None) return; // Not described.
        const PassCounter counter{timing, traced};
        if (!within(event.passes, counter.passes(), counter.most_passes()))
            run_.report_issue(issue,
                              fmt::format("C56: takes {} passes, its addresses {}..{}",
                                          event.passes, counter.passes(), counter.most_passes()));
    }

    RecordedLaunch& run_;
    const SassTrace& trace_;
};

} // namespace

void check_recorded(RecordedLaunch& run) {
    TraceChecker{run, *run.run.trace}.check();
}

} // namespace warpbound::tests
