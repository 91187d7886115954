#include "tests/support/event_checker/active_sets.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace warpbound::tests {

namespace {

bool is_long(assembly::OpcodeClass opcode_class) {
    using enum assembly::OpcodeClass;
    return opcode_class == LoadGlobal || opcode_class == LoadLocal ||
           opcode_class == AtomicGlobal || opcode_class == Texture;
}

/// When the outstanding long operations of a warp complete.
class LongResults {
public:
    explicit LongResults(const RecordedLaunch& run) : run_{run} {}

    void add(const Issue& issue) {
        if (!issue.event.executed || issue.completed.empty()) return;
        const auto& code = run_.instruction(issue);
        const std::int64_t until = is_long(code.opcode_class) ? issue.completed.front() : 0;
        for (const assembly::Register& reg : run_.effects[issue.event.instruction].writes)
            registers_[reg] = until;
        if (code.control && code.control->write_barrier) {
            auto& release = scoreboards_[static_cast<std::size_t>(*code.control->write_barrier)];
            release = std::max(release, until);
        }
    }
    /// The latest completion for which the issue may wait.
    [[nodiscard]] std::int64_t until(const Issue& issue) const {
        std::int64_t at = 0;
        const auto& effects = run_.effects[issue.event.instruction];
        if (run_.timing(issue).waits_for_registers)
            for (const auto* registers : {&effects.reads, &effects.writes})
                for (const assembly::Register& reg : *registers)
                    if (const auto found = registers_.find(reg); found != registers_.end())
                        at = std::max(at, found->second);
        const auto& code = run_.instruction(issue);
        const bool counts = code.opcode_class == assembly::OpcodeClass::DependenceBarrier;
        for (std::size_t scoreboard = 0; scoreboard < scoreboards_.size(); ++scoreboard)
            if (counts || (code.control && ((code.control->wait_mask >> scoreboard) & 1) != 0))
                at = std::max(at, scoreboards_[scoreboard]);
        return at;
    }

private:
    const RecordedLaunch& run_;
    std::map<assembly::Register, std::int64_t> registers_;
    std::array<std::int64_t, assembly::scoreboard_count> scoreboards_{};
};

} // namespace

std::vector<bool> remains_active(const RecordedLaunch& run, const WarpRecord& warp) {
    std::vector<bool> remains(warp.issues.size(), false);
    LongResults results{run};
    for (std::size_t issue_index = 0; issue_index + 1 < warp.issues.size(); ++issue_index) {
        const Issue& issue = warp.issues[issue_index];
        const Issue& next = warp.issues[issue_index + 1];
        results.add(issue);
        remains[issue_index] =
            next.event.stalls[Stall::Barrier] == 0 && results.until(next) <= issue.event.cycle;
    }
    return remains;
}

} // namespace warpbound::tests
