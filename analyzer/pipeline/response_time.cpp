#include "analyzer/pipeline/response_time.hpp"

#include "assembly/support/stop_token.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace warpbound::analyzer {

namespace {

using models::plus;
using models::times;

constexpr std::int64_t horizon = std::int64_t{864'000} * 1'000'000'000; ///< Ten days in ns.
constexpr std::int64_t most_iterations = 100'000;
constexpr const char* step_name = "the response times of a pipeline";

/// The busy period, or what else is sought, grows beyond all limits.
struct Unending {};

/// Arrivals in a closed interval of this length, at most.
std::int64_t arrivals_within(const RecurringOperation& operation, std::int64_t length) {
    return plus(length, operation.jitter()) / operation.distance + 1;
}
/// Arrivals in an interval of this length without its end, at most. Requires: length > 0.
std::int64_t arrivals_before(const RecurringOperation& operation, std::int64_t length) {
    return plus(plus(length, operation.jitter()), operation.distance - 1) / operation.distance;
}

/// Whether a job may arrive before an earlier one of its stage.
bool may_overtake(const RecurringOperation& operation) {
    return operation.jitter() >= operation.distance;
}

class ServerBounds {
public:
    explicit ServerBounds(const ServerLoad& load) : load_{load} {}

    std::vector<ResponseTime> all() {
        std::vector<ResponseTime> bounds;
        if (load_.order == models::ServerOrder::Priority)
            for (const RecurringOperation& operation : load_.operations)
                bounds.push_back(by_priority(operation));
        else if (load_.order == models::ServerOrder::Fifo)
            bounds = in_order();
        else
            bounds = in_any_order();
        return bounds;
    }

private:
    /// Smallest fixed point of a function that does not decrease, at or above `from`.
    template <typename Function> std::int64_t fixed_point(std::int64_t from, Function&& function) {
        for (std::int64_t value = from;;) {
            check_stop(step_name);
            if (value > horizon || ++steps_ > most_iterations) throw Unending{};
            const std::int64_t next = function(value);
            if (next <= value) return value;
            value = next;
        }
    }

    /// Work that arrives in an interval, with the given count of arrivals.
    template <typename Count>
    [[nodiscard]] std::int64_t work_in(std::int64_t length, Count&& count) const {
        std::int64_t sum = 0;
        for (const RecurringOperation& each : load_.operations)
            sum = plus(sum, times(count(each, length), each.cost));
        return sum;
    }
    /// Longest busy period of the whole server.
    template <typename Count> std::int64_t busy_period(Count&& count) {
        return fixed_point(1, [&](std::int64_t length) {
            return plus(work_in(length, count), load_.memory.delay(length));
        });
    }
    /// End of this much work, from the start of the busy period.
    std::int64_t end_of(std::int64_t work) {
        return fixed_point(work,
                           [&](std::int64_t end) { return plus(work, load_.memory.delay(end)); });
    }

    /// Whatever the order, all that arrived in a busy period has ended at its end. What arrives in
    /// the instant of its end counts, too: it may go before an operation that takes no time.
    std::vector<ResponseTime> in_any_order() {
        const std::int64_t length = busy_period(arrivals_within);
        const std::int64_t memory = length - std::min(length, work_in(length, arrivals_within));
        std::vector<ResponseTime> bounds;
        for (const RecurringOperation& each : load_.operations)
            bounds.push_back({length, plus(each.latest, length), memory, length});
        return bounds;
    }

    /// Instants at which another arrival may fall into the interval from the start of the busy
    /// period: the bound is attained at one of them.
    std::vector<std::int64_t> arrival_instants(std::int64_t length) {
        std::vector<std::int64_t> instants{0};
        for (const RecurringOperation& each : load_.operations) {
            const std::int64_t first =
                (each.distance - each.jitter() % each.distance) % each.distance;
            for (std::int64_t at = first; at < length; at = plus(at, each.distance)) {
                if (++steps_ > most_iterations) throw Unending{};
                instants.push_back(at);
            }
        }
        std::sort(instants.begin(), instants.end());
        instants.erase(std::unique(instants.begin(), instants.end()), instants.end());
        return instants;
    }

    std::vector<ResponseTime> in_order() {
        const std::int64_t busy = busy_period(arrivals_before);
        std::vector<ResponseTime> bounds(load_.operations.size(), {.busy_period = busy});
        for (const std::int64_t at : arrival_instants(busy)) {
            const std::int64_t work = work_in(at, arrivals_within);
            const std::int64_t end = end_of(work);
            for (std::size_t i = 0; i < bounds.size(); ++i) {
                if (end - at > bounds[i].from_arrival) {
                    bounds[i].from_arrival = end - at;
                    bounds[i].memory = std::min(end - work, end - at);
                }
                own_jobs(load_.operations[i], at, work, bounds[i]);
            }
        }
        return bounds;
    }

    /// The arrival at `at` is the n-th of its stage in the busy period. Where jobs cannot overtake
    /// each other, the nominal instant of its job is (n - 1) distances after that of the first one,
    /// which is at least -latest.
    void own_jobs(const RecurringOperation& own, std::int64_t at, std::int64_t work,
                  ResponseTime& bound) {
        if (may_overtake(own)) {
            bound.from_release = plus(own.latest, bound.from_arrival);
            return;
        }
        const std::int64_t most = arrivals_within(own, at);
        const std::int64_t least = std::min(most, at / own.distance + 1);
        for (std::int64_t n = least; n <= most; ++n) {
            const std::int64_t end = end_of(work - times(most - n, own.cost));
            const std::int64_t since = std::max(at, times(n - 1, own.distance));
            bound.from_release = std::max(bound.from_release, plus(own.latest, end - since));
        }
    }

    /// Under fixed priorities an operation that started is not interrupted. Operations of equal
    /// urgency count as more urgent ones.
    ResponseTime by_priority(const RecurringOperation& own) {
        std::int64_t blocking = load_.blocking;
        std::vector<const RecurringOperation*> urgent;
        for (const RecurringOperation& each : load_.operations) {
            if (each.priority > own.priority)
                blocking = std::max(blocking, each.cost);
            else if (&each != &own)
                urgent.push_back(&each);
        }
        const std::int64_t busy = fixed_point(1, [&](std::int64_t length) {
            std::int64_t sum = plus(blocking, times(arrivals_before(own, length), own.cost));
            for (const RecurringOperation* each : urgent)
                sum = plus(sum, times(arrivals_before(*each, length), each->cost));
            return plus(sum, load_.memory.delay(length));
        });
        ResponseTime bound{.busy_period = busy};
        std::int64_t start = 0;
        const std::int64_t jobs = arrivals_before(own, busy);
        for (std::int64_t q = 0; q < jobs; ++q) {
            std::int64_t work = 0;
            start = fixed_point(start, [&](std::int64_t until) {
                work = plus(blocking, times(q, own.cost));
                for (const RecurringOperation* each : urgent)
                    work = plus(work, times(arrivals_within(*each, until), each->cost));
                return plus(work, load_.memory.delay(until));
            });
            bound.starts.push_back(start);
            work = plus(work, own.cost);
            const std::int64_t end = end_of(work);
            // Job q of the busy period arrives no earlier than its distance allows.
            const std::int64_t arrival =
                std::max<std::int64_t>(0, times(q, own.distance) - own.jitter());
            if (end - arrival > bound.from_arrival) {
                bound.from_arrival = end - arrival;
                bound.memory = std::min(end - work, end - arrival);
            }
            bound.from_release =
                std::max(bound.from_release, plus(own.latest, end - times(q, own.distance)));
        }
        if (may_overtake(own)) bound.from_release = plus(own.latest, bound.from_arrival);
        return bound;
    }

    const ServerLoad& load_;
    std::int64_t steps_ = 0;
};

} // namespace

double utilisation(const ServerLoad& load) {
    double sum = load.memory.utilisation();
    for (const RecurringOperation& each : load.operations)
        sum += static_cast<double>(each.cost) / static_cast<double>(each.distance);
    return sum;
}

ResponseTimes response_times(const ServerLoad& load) {
    const double busy = utilisation(load);
    constexpr double rounding = 1e-9;
    if (busy > 1 + rounding)
        return {{}, fmt::format("it would be busy for {:.1f} % of the time", 100 * busy)};
    try {
        return {ServerBounds{load}.all(), {}};
    } catch (const Unending&) {
    } catch (const std::overflow_error&) {
    }
    return {
        {},
        fmt::format("no busy period was found to end ({:.1f} % of the time in use)", 100 * busy)};
}

} // namespace warpbound::analyzer
