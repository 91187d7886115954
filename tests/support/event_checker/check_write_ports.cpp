// Write ports (C108): results of fixed latency are written first, each result of variable latency
// in cycles that they leave.

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

class Writes {
public:
    explicit Writes(RecordedLaunch& run)
        : run_{run}, banks_{value_of(run.machine.register_file, "banks").lo} {}

    void check() {
        for_each_result([&](const Issue& issue, bool is_fixed) {
            if (is_fixed)
                for (const auto& [bank, registers] : registers_of(issue))
                    due_[{run_.scheduler_of(issue), bank}].push_back(issue.completed.front());
        });
        for (auto& [port, due] : due_)
            write_in_order(due, taken_[port]);
        for_each_result([&](const Issue& issue, bool is_fixed) { check(issue, is_fixed); });
    }

private:
    template <class Visit> void for_each_result(Visit visit) {
        for (const WarpRecord& warp : run_.warps)
            for (const Issue& issue : warp.issues)
                if (issue.event.executed && issue.completed.size() == 1)
                    visit(issue, assembly::has_fixed_latency(run_.instruction(issue)) &&
                                     !run_.timing(issue).queue);
    }

    /// General registers that the instruction writes, by bank.
    [[nodiscard]] std::map<std::int64_t, std::int64_t> registers_of(const Issue& issue) const {
        std::map<std::int64_t, std::int64_t> registers;
        for (const assembly::Register& reg : run_.effects[issue.event.instruction].writes)
            if (reg.file == assembly::RegisterFile::General) ++registers[reg.index % banks_];
        return registers;
    }

    static void write_in_order(std::vector<std::int64_t>& due, std::set<std::int64_t>& taken) {
        std::sort(due.begin(), due.end());
        std::int64_t free = 0;
        for (const std::int64_t cycle : due) {
            const std::int64_t written = std::max(cycle, free);
            taken.insert(written);
            free = written + 1;
        }
    }

    void check(const Issue& issue, bool is_fixed) {
        const std::int64_t due =
            issue.due.front() +
            (issue.queued.empty() || !assembly::has_result(run_.instruction(issue))
                 ? 0
                 : issue.queued.front().waited);
        std::int64_t written = due;
        if (!is_fixed)
            for (const auto& [bank, registers] : registers_of(issue))
                written = std::max(
                    written, last_write(taken_[{run_.scheduler_of(issue), bank}], due, registers));
        if (issue.completed.front() != written)
            run_.report_issue(issue, fmt::format("C108: due at {} and written at {} instead of {}",
                                                 due, issue.completed.front(), written));
    }

    static std::int64_t last_write(const std::set<std::int64_t>& taken, std::int64_t due,
                                   std::int64_t registers) {
        std::int64_t cycle = due - registers;
        for (std::int64_t left = registers; left > 0;)
            if (!taken.contains(++cycle)) --left;
        return cycle;
    }

    RecordedLaunch& run_;
    std::int64_t banks_;
    std::map<Port, std::vector<std::int64_t>> due_; ///< Results of fixed latency.
    std::map<Port, std::set<std::int64_t>> taken_;  ///< Cycles in which they are written.
};

} // namespace

void check_write_ports(RecordedLaunch& run) {
    if (run.machine.has_write_ports()) {
        Writes{run}.check();
        return;
    }
    for (const WarpRecord& warp : run.warps)
        for (const Issue& issue : warp.issues)
            if (issue.queued.empty() && issue.due != issue.completed)
                run.report_issue(issue, "C108: waits for a write port that is not described");
}

} // namespace warpbound::tests
