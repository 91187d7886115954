#include "analyzer/application/application_bounds.hpp"

#include "analyzer/application/precedence_path.hpp"
#include "models/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

namespace warpbound::analyzer {

namespace {

using models::Bounds;
using models::Nanoseconds;
using models::plus;
using models::application::Action;
using models::application::Basis;
using models::application::Operation;
using models::application::Plan;
using models::application::ServerKind;

/// Work of one server, at each end of the ranges, and the streams that use it.
struct Load {
    std::int64_t lo = 0;
    std::int64_t hi = 0;
    std::set<std::pair<std::size_t, std::size_t>> streams;
};

std::vector<Load> loads_of(const Plan& plan) {
    std::vector<Load> loads(plan.servers.size());
    for (const Operation& operation : plan.operations) {
        Load& load = loads[operation.server];
        const auto time = plan.time_of(operation);
        load.lo = plus(load.lo, time.lo.count());
        load.hi = plus(load.hi, time.hi.count());
        load.streams.emplace(operation.rank, operation.stream);
    }
    return loads;
}

std::int64_t shared_up(std::int64_t work, std::int64_t capacity) {
    return work / capacity + (work % capacity != 0 ? 1 : 0);
}

/// Each barrier opens once for all members, which agree on its time.
std::int64_t barrier_times(const Plan& plan) {
    std::map<std::size_t, std::int64_t> of_group;
    for (const auto& rank : plan.ranks) {
        std::map<std::size_t, std::int64_t> of_rank;
        for (const Action& action : rank.actions)
            if (action.time)
                of_rank[action.index] =
                    plus(of_rank[action.index], plan.times[*action.time].time->hi.count());
        for (const auto& [group, sum] : of_rank)
            of_group[group] = std::max(of_group[group], sum);
    }
    std::int64_t sum = 0;
    for (const auto& [group, time] : of_group)
        sum = plus(sum, time);
    return sum;
}

Result<std::int64_t> lower_of(const Plan& plan, const std::vector<Load>& loads) {
    const PathWeights weights{
        [&](const Operation& operation) { return plan.time_of(operation).lo.count(); },
        [&](std::size_t time) { return plan.times[time].time->lo.count(); }};
    auto path = longest_path(plan, weights);
    if (!path) return path;
    std::int64_t lower = path.value();
    for (std::size_t s = 0; s < loads.size(); ++s)
        lower = std::max(lower, shared_up(loads[s].lo, plan.servers[s].capacity));
    return lower;
}

Result<std::int64_t> upper_of(const Plan& plan, const std::vector<Load>& loads,
                              const std::vector<bool>& is_contended) {
    const PathWeights weights{[&](const Operation& operation) {
                                  const std::int64_t time = plan.time_of(operation).hi.count();
                                  if (!is_contended[operation.server]) return time;
                                  // The share that the work of the server does not contain.
                                  return time - time / plan.servers[operation.server].capacity;
                              },
                              [&](std::size_t time) { return plan.times[time].time->hi.count(); }};
    const auto path = longest_path(plan, weights);
    if (!path) return path;
    std::int64_t by_servers = path.value();
    std::int64_t serial = barrier_times(plan);
    for (std::size_t s = 0; s < loads.size(); ++s) {
        serial = plus(serial, loads[s].hi);
        if (is_contended[s])
            by_servers = plus(by_servers, shared_up(loads[s].hi, plan.servers[s].capacity));
    }
    return std::min(serial, by_servers);
}

/// The weakest claim of any time that is used.
Basis basis_of(const Plan& plan) {
    Basis basis = Basis::Bounds;
    for (const auto& time : plan.times)
        basis = std::min(basis, time.basis);
    return basis;
}

Result<ApplicationBounds> checked_bounds(const Plan& plan) {
    const auto loads = loads_of(plan);
    std::vector<bool> is_contended(loads.size());
    std::vector<std::size_t> contended;
    for (std::size_t s = 0; s < loads.size(); ++s) {
        // A stream has one operation at a server at a time.
        is_contended[s] =
            loads[s].streams.size() > static_cast<std::size_t>(plan.servers[s].capacity);
        if (is_contended[s]) contended.push_back(s);
    }
    const auto lower = lower_of(plan, loads);
    if (!lower) return lower.as_failure();
    const auto upper = upper_of(plan, loads, is_contended);
    if (!upper) return upper.as_failure();
    return ApplicationBounds{Bounds{Nanoseconds{lower.value()}, Nanoseconds{upper.value()}},
                             basis_of(plan), std::move(contended)};
}

} // namespace

Result<ApplicationBounds> bound_application(const Plan& plan) {
    try {
        return checked_bounds(plan);
    } catch (const std::overflow_error&) {
        return Failure{"the times of all steps together exceed 2^63 ns (292 years)"};
    }
}

std::optional<models::DeadlineVerdict> verdict_on(const Plan& plan,
                                                  const ApplicationBounds& bounds) {
    if (!plan.deadline) return std::nullopt;
    if (bounds.basis == Basis::Estimate) return models::DeadlineVerdict::Undecided;
    if (bounds.time.lower() > *plan.deadline) return models::DeadlineVerdict::Violated;
    if (bounds.time.upper() <= *plan.deadline) return models::DeadlineVerdict::Met;
    return models::DeadlineVerdict::Undecided;
}

std::vector<Assumption> application_assumptions(const Plan& plan) {
    std::vector<Assumption> found;
    const auto add = [&](AssumptionSubject subject, std::string text) {
        found.push_back({fmt::format("P{}", found.size() + 1), std::move(text),
                         AssumptionStatus::Unchecked, subject});
    };
    const auto has = [&](ServerKind kind) {
        return std::ranges::find(plan.servers, kind, &models::application::Server::kind) !=
               plan.servers.end();
    };
    add(AssumptionSubject::User, "Ranks do the steps of the description and nothing else; nobody "
                                 "else uses hosts, devices and links.");
    add(AssumptionSubject::Machine, "A computation holds one core of its host; a rank that waits "
                                    "holds none. A core that is free takes the computation that "
                                    "came first.");
    if (has(ServerKind::Device))
        add(AssumptionSubject::Machine,
            "A device serves one kernel at a time, in the order of arrival; a kernel that overlaps "
            "the one before it ends no later than behind it.");
    if (has(ServerKind::Link))
        add(AssumptionSubject::Machine,
            "A link serves one transfer at a time in each of its directions, in the order of "
            "arrival; 'at most' and 'at least' also hold where transfers share it at the same "
            "time, the predicted time does not. Transfers do not slow down kernels or "
            "computations.");
    add(AssumptionSubject::User, "A message is buffered at its receiver: its sender waits for the "
                                 "link, not for the receive.");
    if (plan.collectives.empty()) return found;
    std::string algorithms;
    for (const auto collective : plan.collectives)
        algorithms += (algorithms.empty() ? "" : ", ") + std::string{to_string(collective)};
    add(AssumptionSubject::User,
        fmt::format("Collectives are made of the messages of these algorithms: {} (Thakur et al. "
                    "2005, Patarasuk and Yuan 2009, Hensgen et al. 1988). Messages between two "
                    "ranks are received in the order in which they were sent.",
                    algorithms));
    return found;
}

} // namespace warpbound::analyzer
