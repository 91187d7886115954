#include "tests/support/event_checker/shared_use.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::tests {

SharedUse::SharedUse(RecordedLaunch& run) : run_{run} {
    for (const WarpRecord& warp : run_.warps)
        for (const Issue& issue : warp.issues)
            if (issue.event.executed) users_[port_of(issue)].push_back(&issue);
    // A user that leaves the port at once comes first in its cycle.
    for (auto& [port, users] : users_)
        std::sort(users.begin(), users.end(), [](const Issue* a, const Issue* b) {
            return std::tuple{a->event.cycle, a->event.port_until, a->event.number} <
                   std::tuple{b->event.cycle, b->event.port_until, b->event.number};
        });
}

SharedUse::Port SharedUse::port_of(const Issue& issue) const {
    const std::size_t unit = run_.timing(issue).unit;
    switch (run_.machine.units[unit].scope) {
    case models::UnitScope::Warp:
        return {unit, 0, issue.event.warp};
    case models::UnitScope::Partition:
        return {unit, 1, run_.scheduler_of(issue)};
    case models::UnitScope::Core:
        break;
    }
    return {unit, 2, run_.multiprocessor_of(issue.event.warp)};
}

void SharedUse::check_ports() {
    for (const auto& [port, users] : users_)
        for (std::size_t place = 1; place < users.size(); ++place)
            if (users[place]->event.cycle < users[place - 1]->event.port_until)
                run_.complain(*users[place], fmt::format("C7: its port is taken until {}",
                                                         users[place - 1]->event.port_until));
}

bool SharedUse::is_port_taken(const Issue& issue, std::int64_t cycle, const Issue* except) const {
    const auto found = users_.find(port_of(issue));
    if (found == users_.end()) return false;
    const auto& users = found->second;
    auto after =
        std::upper_bound(users.begin(), users.end(), cycle,
                         [](std::int64_t at, const Issue* user) { return at < user->event.cycle; });
    while (after != users.begin())
        if (const Issue* user = *--after; user != except) return user->event.port_until > cycle;
    return false;
}

namespace {

/// How many of what is in the order of time had happened by the end of a cycle.
std::int64_t count_until(const RecordedLaunch& run, const std::vector<Entry>& entries,
                         std::int64_t cycle, int multiprocessor) {
    const auto after = std::upper_bound(
        entries.begin(), entries.end(), cycle,
        [](std::int64_t at, const Entry& entry) { return at < std::get<0>(entry); });
    return std::count_if(entries.begin(), after, [&](const Entry& entry) {
        return run.multiprocessor_of(std::get<1>(entry)) == multiprocessor;
    });
}

} // namespace

std::int64_t SharedUse::buffered(std::int64_t cycle, int multiprocessor) const {
    // Beside caches an entry still counts in the cycle of its drain (C26).
    return count_until(run_, run_.stores, cycle, multiprocessor) -
           count_until(run_, run_.drains, run_.has_caches ? cycle - 1 : cycle, multiprocessor);
}

std::int64_t SharedUse::queued(std::int64_t cycle, int multiprocessor) const {
    return count_until(run_, run_.loads, cycle, multiprocessor) -
           count_until(run_, run_.loads_left, cycle - 1, multiprocessor);
}

void SharedUse::check_queue() {
    if (run_.loads.size() != run_.loads_left.size())
        run_.say(fmt::format("C25: {} loads, of which {} looked for all their lines",
                             run_.loads.size(), run_.loads_left.size()));
    if (run_.loads.empty()) return;
    const std::int64_t places = memory_value(run_.machine, "l1", "queue").hi;
    for (const Entry& load : run_.loads)
        if (queued(std::get<0>(load), run_.multiprocessor_of(std::get<1>(load))) > places)
            run_.complain(run_.issue_at(load), "C25: the load queue is over-full");
}

void SharedUse::check_buffer() {
    if (run_.stores.size() != run_.drains.size())
        run_.say(
            fmt::format("C15: {} stores and {} drains", run_.stores.size(), run_.drains.size()));
    if (run_.stores.empty()) return;
    const Interval drain = value_of(run_.machine.write_buffer, "drain");
    const Interval entries = value_of(run_.machine.write_buffer, "entries");
    for (const Entry& store : run_.stores)
        if (buffered(std::get<0>(store), run_.multiprocessor_of(std::get<1>(store))) > entries.hi)
            run_.complain(run_.issue_at(store), "C8: the write buffer is over-full");
    struct Last {
        std::int64_t drained = 0;
        std::int64_t entered = 0;
    };
    std::map<int, Last> last_of; // By SM.
    for (const Entry& entry : run_.drains) {
        const Issue& issue = run_.issue_at(entry);
        Last& last = last_of[run_.multiprocessor_of(issue.event.warp)];
        const std::int64_t from = std::max(last.drained, issue.event.cycle);
        if (issue.event.cycle < last.entered) run_.complain(issue, "C15: drains out of order");
        // Beside caches it may have to wait for the link (C26).
        if (!within(std::get<0>(entry) - from, drain.lo * issue.event.passes,
                    run_.has_caches ? std::get<0>(entry) : drain.hi * issue.event.passes))
            run_.complain(issue, fmt::format("C15: drains at {}", std::get<0>(entry)));
        last = Last{std::get<0>(entry), issue.event.cycle};
    }
}

} // namespace warpbound::tests
