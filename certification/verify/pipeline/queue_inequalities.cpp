#include "certification/verify/pipeline/queue_inequalities.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace warpbound::certification::verify {

namespace {

constexpr std::size_t most_instants = 1'000'000;

/// "so much work and traffic end by a time": work + M(x) <= x for some x up to it, so that the
/// smallest fixed point of S61 is not above it. Where x = end does not, as more traffic may arrive
/// than time passes, x is sought from below.
bool ends_by(const Queue& queue, Exact work, Exact end) {
    if (end < work) return false;
    if (sum(work, queue.others.delay_within(end)) <= end) return true;
    Exact x = work;
    for (std::size_t step = 0; step < most_instants; ++step) {
        const Exact next = sum(work, queue.others.delay_within(x));
        if (next <= x) return true;
        if (next > end) return false;
        x = next;
    }
    throw Finding{Verdict::Undecided,
                  fmt::format("'{}': traffic takes too many steps to end", queue.server)};
}

Exact busy_period_of(const QueuedStage& stage) {
    const auto& claimed = stage.claimed->busy_period;
    if (!claimed || *claimed < 1)
        refuted(fmt::format("{}: no busy period is claimed", stage.claimed->where));
    return *claimed;
}

template <class Count> Exact work_of_all(const Queue& queue, const Count& count) {
    Exact work = 0;
    for (const QueuedStage& stage : queue.stages)
        work = sum(work, product(count(stage.arrivals), stage.arrivals.work));
    for (const Arrivals& client : queue.clients)
        work = sum(work, product(count(client), client.work));
    return work;
}

void refute_busy_period(const QueuedStage& stage, Exact length) {
    refuted(fmt::format("{}: what arrives in a busy period of {} ns and what delays it does not "
                        "end with it",
                        stage.claimed->where, digits(length)));
}

/// The end from the nominal instant where jobs are not told apart.
bool ends_a_response_after_the_latest_arrival(const QueuedStage& stage) {
    return stage.claimed->end >= sum(stage.claimed->latest, stage.claimed->response);
}

[[noreturn]] void refute_end(const QueuedStage& stage) {
    refuted(fmt::format("{}: its end by {} ns does not follow", stage.claimed->where,
                        stage.claimed->end));
}

[[noreturn]] void refute_response(const QueuedStage& stage, Exact arrival) {
    refuted(fmt::format("{}: a response time of {} ns does not follow for an arrival {} ns after "
                        "the busy period began",
                        stage.claimed->where, stage.claimed->response, digits(arrival)));
}

void check_any_order(const Queue& queue) {
    for (const QueuedStage& stage : queue.stages) {
        const Exact length = busy_period_of(stage);
        const Exact work =
            work_of_all(queue, [&](const Arrivals& each) { return each.within(length); });
        if (!ends_by(queue, work, length)) refute_busy_period(stage, length);
        if (stage.claimed->response < length) refute_response(stage, 0);
        if (!ends_a_response_after_the_latest_arrival(stage)) refute_end(stage);
    }
}

/// The instants of a busy period at which one more arrival may lie in it, and its begin.
std::set<Exact> instants_of(const Queue& queue, Exact length) {
    std::set<Exact> instants{0};
    const auto add = [&](const Arrivals& each) {
        Exact at = product(quotient_up(each.jitter, each.distance), each.distance) - each.jitter;
        for (; at < length; at = sum(at, each.distance)) {
            instants.insert(at);
            if (instants.size() > most_instants)
                throw Finding{Verdict::Undecided,
                              fmt::format("'{}': more than {} arrivals in a busy period",
                                          queue.server, most_instants)};
        }
    };
    for (const QueuedStage& stage : queue.stages)
        add(stage.arrivals);
    for (const Arrivals& client : queue.clients)
        add(client);
    return instants;
}

/// The n-th own arrival, for each n that may be the last one by `at`: fewer leave less to do.
void check_end_in_order(const Queue& queue, const QueuedStage& stage, Exact at, Exact work) {
    const Arrivals& own = stage.arrivals;
    if (own.jitter >= own.distance) refute_end(stage); // Jobs may overtake each other.
    const Exact after_latest = Exact{stage.claimed->end} - stage.claimed->latest;
    const Exact most = own.within(at);
    for (Exact n = at / own.distance + 1; n <= most; ++n) {
        const Exact nominal = std::max(at, product(n - 1, own.distance));
        if (!ends_by(queue, work - product(most - n, own.work), nominal + after_latest))
            refute_end(stage);
    }
}

void check_first_in_first_out(const Queue& queue) {
    const Exact length = busy_period_of(queue.stages.front());
    const Exact all = work_of_all(queue, [&](const Arrivals& each) { return each.before(length); });
    if (!ends_by(queue, all, length)) refute_busy_period(queue.stages.front(), length);
    for (const QueuedStage& stage : queue.stages)
        if (busy_period_of(stage) != length)
            refuted(fmt::format("'{}': two busy periods of one server", queue.server));
    for (const Exact at : instants_of(queue, length)) {
        const Exact work =
            work_of_all(queue, [&](const Arrivals& each) { return each.within(at); });
        for (const QueuedStage& stage : queue.stages) {
            if (!ends_by(queue, work, sum(at, stage.claimed->response))) refute_response(stage, at);
            if (!ends_a_response_after_the_latest_arrival(stage))
                check_end_in_order(queue, stage, at, work);
        }
    }
}

/// What goes before a stage under fixed priorities: B of S61, and all that is as urgent.
struct Urgent {
    Exact blocking = 0;
    std::vector<Arrivals> others;
};
Urgent urgent_for(const Queue& queue, const QueuedStage& own) {
    Urgent urgent{queue.longest_of_clients, {}};
    for (const QueuedStage& stage : queue.stages) {
        if (&stage == &own) continue;
        if (stage.priority > own.priority)
            urgent.blocking = std::max(urgent.blocking, stage.arrivals.work);
        else
            urgent.others.push_back(stage.arrivals);
    }
    return urgent;
}

/// Job q of the busy period has started by the claimed w_q, and ends in time.
void check_job(const Queue& queue, const QueuedStage& own, const Urgent& urgent, std::size_t q) {
    const auto job = static_cast<Exact>(q);
    const Exact start = own.claimed->starts[q];
    Exact work = sum(urgent.blocking, product(job, own.arrivals.work));
    for (const Arrivals& each : urgent.others)
        work = sum(work, product(each.within(start), each.work));
    if (!ends_by(queue, work, start))
        refuted(fmt::format("{}: job {} of its busy period need not have started by {} ns",
                            own.claimed->where, q, digits(start)));
    work = sum(work, own.arrivals.work);
    const Exact nominal = product(job, own.arrivals.distance);
    const Exact arrival = std::max<Exact>(0, nominal - own.arrivals.jitter);
    if (!ends_by(queue, work, sum(arrival, own.claimed->response))) refute_response(own, arrival);
    if (ends_a_response_after_the_latest_arrival(own)) return;
    const Exact after_latest = Exact{own.claimed->end} - own.claimed->latest;
    if (own.arrivals.jitter >= own.arrivals.distance ||
        !ends_by(queue, work, sum(nominal, after_latest)))
        refute_end(own);
}

void check_fixed_priority(const Queue& queue) {
    for (const QueuedStage& own : queue.stages) {
        const Urgent urgent = urgent_for(queue, own);
        const Exact length = busy_period_of(own);
        const Exact jobs = own.arrivals.before(length);
        Exact work = sum(urgent.blocking, product(jobs, own.arrivals.work));
        for (const Arrivals& each : urgent.others)
            work = sum(work, product(each.before(length), each.work));
        if (!ends_by(queue, work, length)) refute_busy_period(own, length);
        if (jobs != static_cast<Exact>(own.claimed->starts.size()))
            refuted(fmt::format("{}: {} jobs start in its busy period, {} starts are claimed",
                                own.claimed->where, digits(jobs), own.claimed->starts.size()));
        for (std::size_t q = 0; q < own.claimed->starts.size(); ++q)
            check_job(queue, own, urgent, q);
    }
}

} // namespace

void check_queue(const Queue& queue) {
    if (queue.stages.empty()) return;
    switch (queue.order) {
    case models::ServerOrder::Any:
        return check_any_order(queue);
    case models::ServerOrder::Fifo:
        return check_first_in_first_out(queue);
    case models::ServerOrder::Priority:
        return check_fixed_priority(queue);
    default:
        incomplete(fmt::format("'{}': an order that is not checked here", queue.server));
    }
}

} // namespace warpbound::certification::verify
