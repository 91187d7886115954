#include "tests/support/event_checker/checks.hpp"
#include "tests/support/event_checker/latches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::tests {

namespace {

/// Counts how many of a set of half-open cycle intervals overlap.
class OverlapCount {
public:
    void add(std::int64_t from, std::int64_t to) {
        if (from >= to) return;
        ++changes_[from];
        --changes_[to];
    }
    [[nodiscard]] std::int64_t largest() const {
        std::int64_t inside = 0;
        std::int64_t most = 0;
        for (const auto& [cycle, change] : changes_)
            most = std::max(most, inside += change);
        return most;
    }

private:
    std::map<std::int64_t, std::int64_t> changes_;
};

class Collectors {
public:
    explicit Collectors(RecordedLaunch& run)
        : run_{run}, banks_{value_of(run.machine.register_file, "banks").lo} {}

    void check() {
        for (const WarpRecord& warp : run_.warps)
            for (const Issue& issue : warp.issues)
                if (is_in_order(issue)) record_stages(warp, issue);
        for (const auto& [bank, cycles] : reads_)
            for (const auto& [cycle, count] : cycles) {
                if (count > 1) report("C48: a bank is read twice", cycle);
                if (writes_[bank].contains(cycle)) report("C50: a bank is read and written", cycle);
            }
        for (const auto& [sm_and_cycle, count] : results_)
            if (count > value_of(run_.machine.register_file, "result-slots").lo)
                report("C49: too many results", sm_and_cycle.second);
        for (auto& [pool, use] : pools_)
            check_pool(use);
    }

private:
    using Bank = std::pair<int, std::int64_t>; ///< SM, number.
    struct PoolUse {
        const Issue* user = nullptr;
        OverlapCount latch;
        OverlapCount collectors;
        OverlapCount dispatch;
        OverlapCount units;
        std::map<std::int64_t, std::int64_t> entries; ///< By cycle.
        std::map<std::int64_t, std::int64_t> exits;
    };

    void report(std::string_view what, std::int64_t cycle) {
        run_.report(fmt::format("{} at {}", what, cycle));
    }

    /// Whether an executed issue passed every stage once, in order, and any other issue none.
    bool is_in_order(const Issue& issue) {
        const std::size_t times = issue.event.executed ? 1 : 0;
        if (issue.collected.size() != times || issue.entered.size() != times) {
            run_.report_issue(issue, "C47: passes a stage more or less than once");
            return false;
        }
        if (times == 0) return false;
        const std::int64_t since = issue.collected.front().since;
        const std::int64_t left = issue.collected.front().cycle;
        bool ordered =
            issue.event.cycle < since && since < left && left < issue.entered.front().cycle;
        for (const auto& read : issue.reads)
            ordered = ordered && since < read.cycle && read.cycle < left;
        if (!ordered) run_.report_issue(issue, "C48: its stages are out of order");
        return ordered;
    }

    [[nodiscard]] std::int64_t bank_of(const WarpRecord& warp, int reg) const {
        const WarpStarted& start = warp.starts.front();
        return (reg + std::int64_t{start.warp_slot} * run_.schedulers + start.scheduler) % banks_;
    }

    void record_stages(const WarpRecord& warp, const Issue& issue) {
        const int sm = warp.starts.front().multiprocessor;
        const auto& effects = run_.effects[issue.event.instruction];
        std::multiset<std::int64_t> read;
        std::multiset<std::int64_t> wanted;
        for (const auto& one : issue.reads) {
            ++reads_[{sm, static_cast<std::int64_t>(one.bank)}][one.cycle];
            read.insert(static_cast<std::int64_t>(one.bank));
        }
        for (const auto& reg : effects.reads)
            if (reg.file == assembly::RegisterFile::General)
                wanted.insert(bank_of(warp, reg.index));
        if (read != wanted && !may_be_kept(issue))
            run_.report_issue(issue, "C48: reads other banks than those of its registers");
        for (const auto& reg : effects.writes)
            if (reg.file == assembly::RegisterFile::General)
                writes_[{sm, bank_of(warp, reg.index)}].insert(issue.completed.front());
        if (!effects.memory && run_.timing(issue).latency.is_exact())
            ++results_[{sm, issue.completed.front()}];
        PoolUse& use = pools_[Latches::pool_of(run_, issue)];
        const auto& collected = issue.collected.front();
        const auto& entered = issue.entered.front();
        use.user = &issue;
        use.latch.add(issue.event.cycle, collected.since);
        use.collectors.add(collected.since, collected.cycle);
        use.dispatch.add(collected.cycle, entered.cycle);
        use.units.add(entered.cycle, entered.until);
        ++use.entries[collected.since];
        ++use.exits[collected.cycle];
    }

    [[nodiscard]] bool may_be_kept(const Issue& issue) const {
        if (issue.event.instruction == 0) return false;
        const auto& before = run_.kernel.function->instructions[issue.event.instruction - 1];
        return std::any_of(before.operands.begin(), before.operands.end(), [](const auto& operand) {
            const auto* reg = std::get_if<assembly::RegisterOperand>(&operand);
            return reg != nullptr && std::find(reg->suffixes.begin(), reg->suffixes.end(),
                                               "reuse") != reg->suffixes.end();
        });
    }

    void check_pool(const PoolUse& use) {
        const auto most = [](const std::map<std::int64_t, std::int64_t>& counts) {
            std::int64_t largest = 0;
            for (const auto& [cycle, count] : counts)
                largest = std::max(largest, count);
            return largest;
        };
        const auto check = [&](std::int64_t used, std::string_view name, std::string_view rule) {
            if (used > Latches::value_for(run_, *use.user, name))
                run_.report_issue(*use.user,
                                  fmt::format("{}: uses {} {} of its unit", rule, used, name));
        };
        check(use.latch.largest(), "issue-slots", "C47");
        check(use.collectors.largest(), "collectors", "C48");
        check(most(use.entries), "entry-ports", "C48");
        check(most(use.exits), "exit-ports", "C48");
        check(use.dispatch.largest(), "dispatch-slots", "C48");
        check(use.units.largest(), "execution-units", "C49");
    }

    RecordedLaunch& run_;
    std::int64_t banks_;
    std::map<Bank, std::map<std::int64_t, std::int64_t>> reads_; ///< Counts by cycle.
    std::map<Bank, std::set<std::int64_t>> writes_;
    std::map<std::pair<int, std::int64_t>, std::int64_t> results_; ///< By SM and cycle.
    std::map<Latches::Pool, PoolUse> pools_;
};

} // namespace

void check_collectors(RecordedLaunch& run) {
    if (run.collects()) Collectors{run}.check();
}

} // namespace warpbound::tests
