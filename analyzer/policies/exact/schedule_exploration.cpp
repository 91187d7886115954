#include "analyzer/policies/exact/schedule_exploration.hpp"

#include "analyzer/policies/exact/sm_state_machine.hpp"
#include "assembly/support/stop_token.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_steps = std::int64_t{1} << 22U; ///< Cycles and issues.
/// States in which the order of issue matters.
constexpr std::int64_t most_states = std::int64_t{1} << 16U;
constexpr std::size_t most_numbers = std::size_t{1} << 23U; ///< In all pending states.

struct TimeRange {
    Time least = 0;
    Time most = 0;
};

void join(std::optional<TimeRange>& into, const TimeRange& other) {
    if (!into) into = other;
    into->least = std::min(into->least, other.least);
    into->most = std::max(into->most, other.most);
}

struct StateHash {
    std::size_t operator()(const std::vector<Time>& state) const {
        std::uint64_t hash = 0;
        for (const Time time : state) {
            hash = (hash ^ static_cast<std::uint64_t>(time)) * 0x9E3779B97F4A7C15U;
            hash ^= hash >> 29U;
        }
        return hash;
    }
};

/// Searches all schedules in the order of the cycles in which the order of issue matters. Launches
/// that reach the same state in the same cycle are merged.
class ScheduleSearch {
public:
    /// `launches`: how many launches are explored for one result.
    ScheduleSearch(const SmStateMachine& machine, std::int64_t launches)
        : machine_{machine}, states_left_{most_states / launches},
          most_steps_{most_steps / launches}, steps_left_{most_steps_} {}

    std::optional<TimeRange> run(Deadline deadline) {
        std::vector<Time> starts(machine_.schedulers().size(), 0);
        add_starts(starts, 0);
        while (!pending_.empty() && !gave_up_) {
            const auto first = pending_.extract(pending_.begin());
            const Time now = first.key();
            for (const auto& [state, completion] : first.mapped()) {
                numbers_ -= state.size();
                if (--states_left_ < 0 ||
                    (deadline && std::chrono::steady_clock::now() > *deadline))
                    gave_up_ = true;
                if (gave_up_) return std::nullopt;
                expand(machine_.unpacked(state), now, completion);
            }
        }
        if (gave_up_) return std::nullopt;
        return ended_;
    }

    /// The times, with the work of this search.
    [[nodiscard]] ExploredTimes with_work(const TimeRange& times) const {
        return {{models::Cycles{times.least}, models::Cycles{times.most}},
                most_steps_ - steps_left_,
                numbers_of_all_};
    }

private:
    /// Schedulers with the same slot table are interchangeable, so later ones start no earlier.
    void add_starts(std::vector<Time>& starts, std::size_t scheduler) {
        if (gave_up_) return;
        if (scheduler == starts.size()) {
            add_pending(machine_.begin(starts), 0, 0, {});
            return;
        }
        const auto& period_of = machine_.schedulers();
        const bool same_table = scheduler > 0 && period_of[scheduler - 1] == period_of[scheduler];
        for (starts[scheduler] = same_table ? starts[scheduler - 1] : 0;
             starts[scheduler] < machine_.periods()[period_of[scheduler]].starts();
             ++starts[scheduler])
            add_starts(starts, scheduler + 1);
    }

    /// Adds the state in cycle `at` of a launch whose time 0 is `now`.
    void add_pending(const SmState& launch, Time now, Time at, TimeRange completion) {
        completion.least = std::max(completion.least, now + launch.completion);
        completion.most = std::max(completion.most, now + launch.completion);
        auto state = machine_.packed(launch, at);
        numbers_ += state.size();
        if (numbers_ > most_numbers) gave_up_ = true;
        const auto [entry, is_new] = pending_[now + at].emplace(std::move(state), completion);
        if (is_new) {
            numbers_of_all_ += static_cast<std::int64_t>(entry->first.size());
            return;
        }
        numbers_ -= entry->first.size();
        entry->second.least = std::min(entry->second.least, completion.least);
        entry->second.most = std::max(entry->second.most, completion.most);
    }

    /// Branches over the relevant orders of issue in cycle 0, then steps until the order matters
    /// again.
    void expand(SmState launch, Time now, const TimeRange& completion) {
        const Schedulers rivals = machine_.rivals(launch, machine_.able(launch, 0), 0);
        if (rivals == 0) {
            step(std::move(launch), now, completion);
            return;
        }
        for (std::size_t i = 0; i < launch.schedulers.size() && !gave_up_; ++i) {
            if (((rivals >> i) & 1U) == 0) continue;
            SmState next = launch;
            issue(next, i, 0);
            expand(std::move(next), now, completion);
        }
    }

    void step(SmState launch, Time now, const TimeRange& completion) {
        const auto ended = [&] {
            return std::all_of(launch.schedulers.begin(), launch.schedulers.end(),
                               [](const SchedulerState& scheduler) { return scheduler.left == 0; });
        };
        Time at = 0;
        while (!ended()) {
            check_stop("the exploration of schedules");
            if (--steps_left_ < 0) gave_up_ = true;
            if (gave_up_) return;
            const Schedulers able = machine_.able(launch, at);
            if (machine_.rivals(launch, able, at) != 0) {
                add_pending(launch, now, at, completion);
                return;
            }
            for (std::size_t i = 0; i < launch.schedulers.size(); ++i)
                if (((able >> i) & 1U) != 0) issue(launch, i, at);
            at = able != 0 ? at + 1 : machine_.next_issue(launch, at);
        }
        join(ended_, {std::max(completion.least, now + launch.completion),
                      std::max(completion.most, now + launch.completion)});
    }

    void issue(SmState& launch, std::size_t scheduler, Time at) {
        if (--steps_left_ < 0 || !machine_.issue(launch, scheduler, at)) gave_up_ = true;
    }

    const SmStateMachine& machine_;
    std::map<Time, std::unordered_map<std::vector<Time>, TimeRange, StateHash>> pending_;
    std::optional<TimeRange> ended_; ///< Completion times of all launches that ended.
    std::size_t numbers_ = 0;        ///< In pending states.
    std::int64_t numbers_of_all_ = 0;
    std::int64_t states_left_;
    std::int64_t most_steps_;
    std::int64_t steps_left_;
    bool gave_up_ = false;
};

} // namespace

std::optional<ExploredTimes> explored_times(const TimedKernel& kernel,
                                            const ScheduledLaunch& launch, Deadline deadline,
                                            std::int64_t launches) {
    const auto machine = SmStateMachine::of(kernel, launch);
    if (!machine) return std::nullopt;
    ScheduleSearch search{*machine, launches};
    const auto times = search.run(deadline);
    if (!times) return std::nullopt;
    return search.with_work(*times);
}

} // namespace warpbound::analyzer
