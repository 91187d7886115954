#include "analyzer/policies/exact/schedule_exploration.hpp"

#include "analyzer/policies/exact/sm_state_machine.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace warpbound::analyzer {

namespace {

constexpr std::int64_t most_steps = std::int64_t{1} << 22U;  ///< Cycles and issues.
constexpr std::int64_t most_states = std::int64_t{1} << 16U; ///< At which the order matters.
constexpr std::size_t most_numbers = std::size_t{1} << 23U;  ///< Of states that wait.

struct Range {
    Time least = 0;
    Time most = 0;
};

void join(std::optional<Range>& into, const Range& other) {
    if (!into) into = other;
    into->least = std::min(into->least, other.least);
    into->most = std::max(into->most, other.most);
}

struct HashOfState {
    std::size_t operator()(const std::vector<Time>& state) const {
        std::uint64_t hash = 0;
        for (const Time time : state) {
            hash = (hash ^ static_cast<std::uint64_t>(time)) * 0x9E3779B97F4A7C15U;
            hash ^= hash >> 29U;
        }
        return hash;
    }
};

/// All schedules, in the order of the cycles in which it matters who issues first: launches that
/// come to the same state in the same cycle go on as one.
class JointSearch {
public:
    /// `launches`: how many are stepped for one result.
    JointSearch(const SmStateMachine& machine, std::int64_t launches)
        : machine_{machine}, states_left_{most_states / launches}, steps_left_{most_steps /
                                                                               launches} {}

    std::optional<Range> run(Deadline deadline) {
        std::vector<Time> starts(machine_.schedulers().size(), 0);
        add_starts(starts, 0);
        while (!waiting_.empty() && !gave_up_) {
            const auto first = waiting_.extract(waiting_.begin());
            const Time now = first.key();
            for (const auto& [state, completion] : first.mapped()) {
                numbers_ -= state.size();
                if (--states_left_ < 0 ||
                    (deadline && std::chrono::steady_clock::now() > *deadline))
                    gave_up_ = true;
                if (gave_up_) return std::nullopt;
                go_on(machine_.unpacked(state), now, completion);
            }
        }
        if (gave_up_) return std::nullopt;
        return ended_;
    }

private:
    /// Schedulers with the same order of slots are alike, so later ones start no earlier.
    void add_starts(std::vector<Time>& starts, std::size_t scheduler) {
        if (gave_up_) return;
        if (scheduler == starts.size()) {
            wait(machine_.begin(starts), 0, 0, {});
            return;
        }
        const auto& round_of = machine_.schedulers();
        const bool as_before = scheduler > 0 && round_of[scheduler - 1] == round_of[scheduler];
        for (starts[scheduler] = as_before ? starts[scheduler - 1] : 0;
             starts[scheduler] < machine_.rounds()[round_of[scheduler]].starts();
             ++starts[scheduler])
            add_starts(starts, scheduler + 1);
    }

    /// From the cycle `at` of a launch whose time 0 is `now`.
    void wait(const SmState& launch, Time now, Time at, Range completion) {
        completion.least = std::max(completion.least, now + launch.completion);
        completion.most = std::max(completion.most, now + launch.completion);
        auto state = machine_.packed(launch, at);
        numbers_ += state.size();
        if (numbers_ > most_numbers) gave_up_ = true;
        const auto [place, is_new] = waiting_[now + at].emplace(std::move(state), completion);
        if (is_new) return;
        numbers_ -= place->first.size();
        place->second.least = std::min(place->second.least, completion.least);
        place->second.most = std::max(place->second.most, completion.most);
    }

    /// Tries every order in cycle 0 as far as it matters, then steps until it matters again.
    void go_on(SmState launch, Time now, const Range& completion) {
        const Schedulers rivals = machine_.rivals(launch, machine_.able(launch, 0), 0);
        if (rivals == 0) {
            step(std::move(launch), now, completion);
            return;
        }
        for (std::size_t i = 0; i < launch.schedulers.size() && !gave_up_; ++i) {
            if (((rivals >> i) & 1U) == 0) continue;
            SmState next = launch;
            issue(next, i, 0);
            go_on(std::move(next), now, completion);
        }
    }

    void step(SmState launch, Time now, const Range& completion) {
        const auto ended = [&] {
            return std::all_of(launch.schedulers.begin(), launch.schedulers.end(),
                               [](const SchedulerState& scheduler) { return scheduler.left == 0; });
        };
        Time at = 0;
        while (!ended()) {
            if (--steps_left_ < 0) gave_up_ = true;
            if (gave_up_) return;
            const Schedulers able = machine_.able(launch, at);
            if (machine_.rivals(launch, able, at) != 0) {
                wait(launch, now, at, completion);
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
    std::map<Time, std::unordered_map<std::vector<Time>, Range, HashOfState>> waiting_;
    std::optional<Range> ended_; ///< Completion of all launches that ended.
    std::size_t numbers_ = 0;    ///< In states that wait.
    std::int64_t states_left_;
    std::int64_t steps_left_;
    bool gave_up_ = false;
};

} // namespace

std::optional<models::Bounds<models::Cycles>>
explored_times(const AnalysisContext& context, Deadline deadline, std::int64_t launches) {
    const auto machine = SmStateMachine::of(context);
    if (!machine) return std::nullopt;
    const auto times = JointSearch{*machine, launches}.run(deadline);
    if (!times) return std::nullopt;
    return models::Bounds<models::Cycles>{models::Cycles{times->least},
                                          models::Cycles{times->most}};
}

} // namespace warpbound::analyzer
