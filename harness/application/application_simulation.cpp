#include "harness/application/application_simulation.hpp"

#include "harness/simulator/clock/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <utility>

namespace warpbound::harness {

namespace {

using models::application::Action;
using models::application::all_streams;
using models::application::Operation;
using models::application::OperationKind;
using models::application::Plan;
using models::application::TimeRange;
using simulator::RandomStream;
using simulator::StreamOf;

class ApplicationSimulator {
public:
    ApplicationSimulator(const Plan& plan, const ApplicationRun& run)
        : plan_{plan}, run_{run}, order_{run.seed, StreamOf::Host, 0},
          servers_(plan.servers.size()), ranks_(plan.ranks.size()),
          barriers_(plan.barriers.size()) {
        times_.ranks.resize(plan.ranks.size());
        times_.servers.resize(plan.servers.size());
        for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
            ranks_[rank].streams.resize(plan.ranks[rank].streams);
    }

    Result<ApplicationTimes> run() {
        for (const std::size_t rank : first_ranks())
            proceed(rank);
        while (!ends_.empty()) {
            const auto [at, tie, record] = ends_.top();
            ends_.pop();
            now_ = at;
            end(record);
        }
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            if (ranks_[rank].next < plan_.ranks[rank].actions.size()) return stuck(rank);
        times_.makespan = now_;
        find_critical_path();
        return std::move(times_);
    }

private:
    struct ServerState {
        std::deque<std::size_t> queue; ///< Records.
        std::int64_t active = 0;
    };
    struct RankState {
        std::size_t next = 0;                         ///< Action.
        std::optional<std::size_t> cause{};           ///< Record whose end is the rank's present.
        std::int64_t since = 0;                       ///< Of the present.
        std::vector<std::deque<std::size_t>> streams; ///< Operations, the active one first.
        std::size_t outstanding = 0;
        bool is_blocked = false;
        std::optional<std::size_t> awaited{}; ///< Operation that the rank waits for.
    };
    struct BarrierState {
        std::vector<std::size_t> arrived; ///< Ranks.
    };
    using End = std::tuple<std::int64_t, std::uint64_t, std::size_t>; ///< Time, tie, record.

    std::vector<std::size_t> first_ranks() {
        std::vector<std::size_t> ranks(ranks_.size());
        std::iota(ranks.begin(), ranks.end(), std::size_t{0});
        if (run_.draw == TimeDraw::Drawn)
            for (std::size_t i = ranks.size(); i-- > 1;)
                std::swap(ranks[i], ranks[static_cast<std::size_t>(
                                        order_.uniform(0, static_cast<std::int64_t>(i)))]);
        return ranks;
    }

    std::int64_t value(const TimeRange& range, RandomStream& random) const {
        switch (run_.draw) {
        case TimeDraw::Lower:
            return range.lo.count();
        case TimeDraw::Typical:
            return range.typical.count();
        case TimeDraw::Upper:
            return range.hi.count();
        case TimeDraw::Drawn:
            break;
        }
        return random.uniform(range.lo.count(), range.hi.count());
    }

    /// Executes actions of the rank until it waits for something.
    void proceed(std::size_t rank) {
        RankState& state = ranks_[rank];
        const auto& actions = plan_.ranks[rank].actions;
        state.is_blocked = false;
        times_.ranks[rank].end = now_;
        while (state.next < actions.size()) {
            const Action& action = actions[state.next];
            state.since = now_;
            if (!execute(rank, action)) {
                state.is_blocked = true;
                return;
            }
            ++state.next;
        }
    }

    /// Whether the rank goes on at once. If not, `resume` moves it behind the action.
    bool execute(std::size_t rank, const Action& action) {
        RankState& state = ranks_[rank];
        switch (action.kind) {
        case Action::Kind::Operate:
            issue(action.index);
            if (!plan_.operations[action.index].waits) return true;
            state.awaited = action.index;
            return false;
        case Action::Kind::Receive:
            return take_message(action.index, rank);
        case Action::Kind::Wait:
            return has_ended(state, action.index);
        case Action::Kind::Barrier:
            break;
        }
        auto& arrived = barriers_[action.index].arrived;
        arrived.push_back(rank);
        if (arrived.size() == plan_.barriers[action.index]) open(action, rank);
        return false;
    }

    static bool has_ended(const RankState& state, std::size_t stream) {
        return stream == all_streams ? state.outstanding == 0 : state.streams[stream].empty();
    }

    /// A message that has arrived already is no cause: the rank came later.
    bool take_message(std::size_t sender, std::size_t receiver) {
        auto& delivered = delivered_[{sender, receiver}];
        if (delivered == 0) return false;
        --delivered;
        return true;
    }

    void resume(std::size_t rank, std::size_t cause) {
        RankState& state = ranks_[rank];
        if (plan_.ranks[rank].actions[state.next].kind != Action::Kind::Operate)
            times_.ranks[rank].blocked += now_ - state.since;
        state.cause = cause;
        state.awaited.reset();
        ++state.next;
        proceed(rank);
    }

    void issue(std::size_t number) {
        const Operation& operation = plan_.operations[number];
        RankState& state = ranks_[operation.rank];
        ++state.outstanding;
        auto& stream = state.streams[operation.stream];
        stream.push_back(number);
        if (stream.size() == 1) arrive(number, state.cause);
    }

    void arrive(std::size_t number, std::optional<std::size_t> cause) {
        const Operation& operation = plan_.operations[number];
        ServerState& server = servers_[operation.server];
        const std::size_t record = waiting_.size();
        waiting_.push_back({number, operation.rank, operation.name, now_, now_, now_, cause});
        // Behind those that wait, also in the instant in which a place becomes free.
        if (server.queue.empty() && server.active < plan_.servers[operation.server].capacity)
            start(record, cause);
        else
            server.queue.push_back(record);
    }

    void start(std::size_t waiting, std::optional<std::size_t> cause) {
        ServedOperation served = waiting_[waiting];
        const Operation& operation = plan_.operations[*served.operation];
        ++servers_[operation.server].active;
        RandomStream random{run_.seed, StreamOf::Host, *served.operation + 1};
        std::int64_t time = value(plan_.times[operation.time].time.value(), random);
        if (operation.extra) time += value(plan_.times[*operation.extra].time.value(), random);
        served.start = now_;
        served.end = now_ + time;
        served.cause = cause;
        auto& server = times_.servers[operation.server];
        server.busy += time;
        server.queued += served.start - served.arrival;
        ++server.served;
        auto& rank = times_.ranks[operation.rank];
        rank.queued += served.start - served.arrival;
        rank.service.at(static_cast<std::size_t>(operation.kind)) += time;
        add(served);
    }

    void add(const ServedOperation& served) {
        const std::uint64_t tie =
            run_.draw == TimeDraw::Drawn ? order_.next() : std::uint64_t{served.rank};
        ends_.emplace(served.end, tie, times_.served.size());
        times_.served.push_back(served);
    }

    void open(const Action& action, std::size_t last) {
        RandomStream random{run_.seed, StreamOf::Host, plan_.operations.size() + 1 + opened_++};
        const std::int64_t time =
            action.time ? value(plan_.times[*action.time].time.value(), random) : 0;
        opening_[times_.served.size()] = std::exchange(barriers_[action.index].arrived, {});
        add({{}, last, action.name, now_, now_, now_ + time, ranks_[last].cause});
    }

    void end(std::size_t record) {
        if (!times_.served[record].operation) {
            const auto members = opening_.extract(record).mapped();
            for (const std::size_t rank : members)
                resume(rank, record);
            return;
        }
        const std::size_t number = *times_.served[record].operation;
        const Operation& operation = plan_.operations[number];
        --servers_[operation.server].active;
        RankState& state = ranks_[operation.rank];
        auto& stream = state.streams[operation.stream];
        stream.pop_front();
        --state.outstanding;
        if (!stream.empty()) arrive(stream.front(), record);
        serve_next(operation.server, record);
        if (operation.kind == OperationKind::Message) deliver(operation, record);
        release(operation.rank, number, record);
    }

    void serve_next(std::size_t number, std::size_t record) {
        ServerState& server = servers_[number];
        if (server.queue.empty() || server.active >= plan_.servers[number].capacity) return;
        const std::size_t next = server.queue.front();
        server.queue.pop_front();
        start(next, record);
    }

    void deliver(const Operation& message, std::size_t record) {
        const std::size_t receiver = message.receiver;
        ++delivered_[{message.rank, receiver}];
        const RankState& state = ranks_[receiver];
        if (!state.is_blocked) return;
        const Action& action = plan_.ranks[receiver].actions[state.next];
        if (action.kind == Action::Kind::Receive && action.index == message.rank &&
            take_message(message.rank, receiver))
            resume(receiver, record);
    }

    void release(std::size_t rank, std::size_t number, std::size_t record) {
        const RankState& state = ranks_[rank];
        if (!state.is_blocked) return;
        const Action& action = plan_.ranks[rank].actions[state.next];
        const bool awaited = state.awaited == number;
        const bool waits = action.kind == Action::Kind::Wait && has_ended(state, action.index);
        if (awaited || waits) resume(rank, record);
    }

    Failure stuck(std::size_t rank) const {
        const Action& action = plan_.ranks[rank].actions[ranks_[rank].next];
        const std::string what =
            action.kind == Action::Kind::Receive
                ? fmt::format("a message of '{}'", plan_.ranks[action.index].name)
                : fmt::format("other ranks at barrier '{}'", plan_.names[action.name]);
        return {fmt::format("rank '{}' waits for ever: for {}", plan_.ranks[rank].name, what),
                {},
                action.line};
    }

    void find_critical_path() {
        const auto& served = times_.served;
        const auto last = std::ranges::max_element(served, {}, &ServedOperation::end);
        if (last == served.end()) return;
        std::optional<std::size_t> at = static_cast<std::size_t>(last - served.begin());
        for (; at; at = served[*at].cause)
            times_.critical_path.push_back(*at);
        std::ranges::reverse(times_.critical_path);
    }

    const Plan& plan_;
    const ApplicationRun& run_;
    RandomStream order_;
    std::int64_t now_ = 0;
    std::vector<ServerState> servers_;
    std::vector<RankState> ranks_;
    std::vector<BarrierState> barriers_;
    std::vector<ServedOperation> waiting_;                    ///< Operations that have arrived.
    std::map<std::size_t, std::vector<std::size_t>> opening_; ///< Barrier's record to its ranks.
    std::map<std::pair<std::size_t, std::size_t>, std::int64_t> delivered_;
    std::priority_queue<End, std::vector<End>, std::greater<>> ends_;
    std::size_t opened_ = 0;
    ApplicationTimes times_;
};

/// No instant of any run exceeds this sum.
Result<void> check_sum(const Plan& plan) {
    std::int64_t sum = 0;
    const auto add = [&](std::size_t time) {
        return !__builtin_add_overflow(sum, plan.times[time].time.value().hi.count(), &sum);
    };
    bool fits = true;
    for (const Operation& operation : plan.operations)
        fits = fits && add(operation.time) && (!operation.extra || add(*operation.extra));
    for (const auto& rank : plan.ranks)
        for (const Action& action : rank.actions)
            fits = fits && (!action.time || add(*action.time));
    if (!fits) return Failure{"the times of all steps together exceed 2^63 ns (292 years)"};
    return boost::outcome_v2::success();
}

} // namespace

Result<ApplicationTimes> simulate_application(const Plan& plan, const ApplicationRun& run) {
    if (const auto fits = check_sum(plan); !fits) return fits.as_failure();
    return ApplicationSimulator{plan, run}.run();
}

} // namespace warpbound::harness
