#include "tests/support/event_checker/latches.hpp"

#include <algorithm>

namespace warpbound::tests {

Latches::Latches(RecordedLaunch& run) : run_{run} {
    if (!run_.collects()) return;
    for (const WarpRecord& warp : run_.warps)
        for (const Issue& issue : warp.issues)
            if (issue.event.executed && !issue.collected.empty())
                users_[pool_of(run_, issue)].push_back(&issue);
    for (auto& [pool, users] : users_)
        std::sort(users.begin(), users.end(),
                  [](const Issue* a, const Issue* b) { return a->event.cycle < b->event.cycle; });
}

Latches::Pool Latches::pool_of(const RecordedLaunch& run, const Issue& issue) {
    const std::size_t unit = run.timing(issue).unit;
    const auto& start = run.warps[static_cast<std::size_t>(issue.event.warp)].starts.front();
    const bool own = run.machine.units[unit].scope == models::UnitScope::Partition;
    return {unit, start.multiprocessor, own ? start.scheduler : 0};
}

std::int64_t Latches::value_for(const RecordedLaunch& run, const Issue& issue,
                                std::string_view name) {
    const std::string& unit = run.machine.units[run.timing(issue).unit].name;
    return value_of(*run.machine.operand_collector(unit), name).lo;
}

std::int64_t Latches::free_at(const Issue& issue, std::int64_t cycle, const Issue* except) const {
    const auto found = users_.find(pool_of(run_, issue));
    if (found == users_.end()) return cycle;
    std::vector<std::int64_t> leaving; // Of the issues that occupy an entry.
    for (const Issue* user : found->second) {
        if (user->event.cycle > cycle) break;
        if (user != &issue && user != except && user->collected.front().since > cycle)
            leaving.push_back(user->collected.front().since);
    }
    if (static_cast<std::int64_t>(leaving.size()) < value_for(run_, issue, "issue-slots"))
        return cycle;
    return *std::min_element(leaving.begin(), leaving.end());
}

} // namespace warpbound::tests
