#include "tests/support/event_checker/shared_use.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::tests {

namespace {

/// C15, C94: how long a store of so many transactions drains, by the values of the description.
/// `touched`: sectors that a fact allows, at most.
Interval drain_of(const models::Architecture& machine, std::int64_t transactions,
                  std::int64_t touched) {
    Interval drain = value_of(machine.write_buffer, "drain");
    drain.lo *= transactions;
    drain.hi *= transactions;
    if (machine.write_buffer.find("sector-drain") == nullptr) return drain;
    const Interval of_sector = value_of(machine.write_buffer, "sector-drain");
    const std::int64_t of_line =
        memory_value(machine, "l1", "line").hi / memory_value(machine, "l1", "sector").hi;
    const std::int64_t sectors =
        std::min({transactions * of_line, value_of(machine.geometry, "warp-size").hi, touched});
    drain.lo = std::max(drain.lo, of_sector.lo * sectors);
    drain.hi = std::max(drain.hi, of_sector.hi * sectors);
    return drain;
}

} // namespace

SharedUse::SharedUse(RecordedLaunch& run) : run_{run} {
    for (const WarpRecord& warp : run_.warps)
        for (const Issue& issue : warp.issues)
            if (issue.event.executed) users_[port_of(issue)].push_back(&issue);
    const auto by_sm = [&](const std::vector<Entry>& entries, auto times) {
        for (const auto& [cycle, warp, index] : entries)
            (times_[run_.multiprocessor_of(warp)].*times).push_back(cycle);
    };
    by_sm(run_.stores, &Times::stores);
    by_sm(run_.drains, &Times::drains);
    by_sm(run_.loads, &Times::loads);
    by_sm(run_.loads_left, &Times::loads_left);
    // A user that occupies the port for no cycle comes first in its cycle.
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
        for (std::size_t i = 1; i < users.size(); ++i)
            if (users[i]->event.cycle < users[i - 1]->event.port_until)
                run_.report_issue(*users[i], fmt::format("C7: its port is occupied until {}",
                                                         users[i - 1]->event.port_until));
}

std::int64_t SharedUse::port_free_at(const Issue& issue, std::int64_t cycle,
                                     const Issue* except) const {
    if (run_.timing(issue).queue) return run_.place_free_at(issue, cycle, except);
    const auto found = users_.find(port_of(issue));
    if (found == users_.end()) return cycle;
    const auto& users = found->second;
    auto after =
        std::upper_bound(users.begin(), users.end(), cycle,
                         [](std::int64_t at, const Issue* user) { return at < user->event.cycle; });
    while (after != users.begin())
        if (const Issue* user = *--after; user != except)
            return std::max(cycle, user->event.port_until);
    return cycle;
}

namespace {

/// The number of times up to the end of a cycle.
std::int64_t count_until(const std::vector<std::int64_t>& times, std::int64_t cycle) {
    return std::upper_bound(times.begin(), times.end(), cycle) - times.begin();
}

/// The cycle after the first time from `cycle` on; the next cycle where there is none.
std::int64_t after_next(const std::vector<std::int64_t>& times, std::int64_t cycle) {
    const auto next = std::lower_bound(times.begin(), times.end(), cycle);
    return (next == times.end() ? cycle : *next) + 1;
}

} // namespace

std::int64_t SharedUse::buffered(std::int64_t cycle, int multiprocessor) const {
    const auto found = times_.find(multiprocessor);
    if (found == times_.end()) return 0;
    const Times& times = found->second;
    // With caches an entry still counts in the cycle of its drain (C26).
    return count_until(times.stores, cycle) -
           count_until(times.drains, run_.has_caches ? cycle - 1 : cycle);
}

std::int64_t SharedUse::queued(std::int64_t cycle, int multiprocessor) const {
    const auto found = times_.find(multiprocessor);
    if (found == times_.end()) return 0;
    const Times& times = found->second;
    return count_until(times.loads, cycle) - count_until(times.loads_left, cycle - 1);
}

std::int64_t SharedUse::after_drain(std::int64_t cycle, int multiprocessor) const {
    return after_next(times_.at(multiprocessor).drains, run_.has_caches ? cycle : cycle + 1) -
           (run_.has_caches ? 0 : 1);
}

std::int64_t SharedUse::after_leaving(std::int64_t cycle, int multiprocessor) const {
    return after_next(times_.at(multiprocessor).loads_left, cycle);
}

void SharedUse::check_queue() {
    if (run_.loads.size() != run_.loads_left.size())
        run_.report(fmt::format("C25: {} loads, of which {} looked up all their lines",
                                run_.loads.size(), run_.loads_left.size()));
    if (run_.loads.empty()) return;
    const std::int64_t entries = memory_value(run_.machine, "l1", "queue").hi;
    for (const Entry& load : run_.loads)
        if (queued(std::get<0>(load), run_.multiprocessor_of(std::get<1>(load))) > entries)
            run_.report_issue(run_.issue_at(load), "C25: the load queue has too many entries");
}

void SharedUse::check_buffer() {
    if (run_.stores.size() != run_.drains.size())
        run_.report(
            fmt::format("C15: {} stores and {} drains", run_.stores.size(), run_.drains.size()));
    if (run_.stores.empty()) return;
    const Interval entries = value_of(run_.machine.write_buffer, "entries");
    for (const Entry& store : run_.stores)
        if (buffered(std::get<0>(store), run_.multiprocessor_of(std::get<1>(store))) > entries.hi)
            run_.report_issue(run_.issue_at(store), "C8: the write buffer has too many entries");
    struct Last {
        std::int64_t drained = 0;
        std::int64_t entered = 0;
    };
    std::map<int, Last> last_of; // By SM.
    for (const Entry& entry : run_.drains) {
        const Issue& issue = run_.issue_at(entry);
        Last& last = last_of[run_.multiprocessor_of(issue.event.warp)];
        const std::int64_t entered =
            run_.accesses_at_unit() ? run_.begin_of(issue) : issue.event.cycle;
        const std::int64_t from = std::max(last.drained, entered);
        if (entered < last.entered) run_.report_issue(issue, "C15: drains out of order");
        const models::MemoryFact* const fact =
            run_.kernel.facts->memory_at(run_.instruction(issue).address);
        const bool is_limited = fact != nullptr && fact->sectors;
        const Interval drain = drain_of(run_.machine, issue.event.passes,
                                        is_limited ? fact->sectors->max : issue.event.passes * 128);
        // With caches it may have to wait for the link (C26).
        if (!within(std::get<0>(entry) - from, drain.lo,
                    run_.has_caches ? std::get<0>(entry) : drain.hi))
            run_.report_issue(issue, fmt::format("C15: drains at {}", std::get<0>(entry)));
        last = Last{std::get<0>(entry), entered};
    }
}

} // namespace warpbound::tests
