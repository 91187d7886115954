#include "certification/verify/policies/explored_schedules.hpp"

#include "certification/verify/policies/slotted_state.hpp"
#include "models/units.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace warpbound::certification::verify {

namespace {

constexpr std::size_t most_schedulers = 64;

/// Cycles to the last completion.
struct Remaining {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;

    void add(std::int64_t least_of_one, std::int64_t most_of_one) {
        least = std::min(least, least_of_one);
        most = std::max(most, most_of_one);
    }
};

/// The states in which schedulers contend, each once, whenever it is reached. From each one leads
/// an edge for each order of issue; times to the last completion follow backwards.
class ContentionGraph {
public:
    ContentionGraph(SlottedSteps& steps, ExplorationLimit& left) : steps_{steps}, left_{left} {}

    /// False: what follows is open, or the limit is passed.
    bool explore_from(SlottedState start) {
        if (!follow(std::move(start), starts_)) return false;
        while (!unexplored_.empty()) {
            const std::size_t node = unexplored_.back();
            unexplored_.pop_back();
            std::vector<Edge> edges;
            if (left_.is_passed() || !order(steps_.described(*nodes_[node].state), edges))
                return false;
            nodes_[node].edges = std::move(edges);
        }
        return true;
    }

    /// Over all starts. Each edge leads to a state with more issues behind it.
    [[nodiscard]] Remaining from_starts() const {
        std::vector<std::size_t> last_first(nodes_.size());
        std::iota(last_first.begin(), last_first.end(), std::size_t{0});
        std::sort(last_first.begin(), last_first.end(), [&](std::size_t a, std::size_t b) {
            return nodes_[a].issues > nodes_[b].issues;
        });
        std::vector<Remaining> remaining(nodes_.size());
        for (const std::size_t node : last_first)
            for (const Edge& edge : nodes_[node].edges)
                add(edge, remaining, remaining[node]);
        Remaining all;
        for (const Edge& edge : starts_)
            add(edge, remaining, all);
        return all;
    }

private:
    /// What is issued on the way to a state of contention, or to the end.
    struct Edge {
        std::optional<std::size_t> to;
        std::int64_t cycles = 0;     ///< Until that state.
        std::int64_t completion = 0; ///< Of what is issued on the way.
    };
    using Numbers = std::unordered_map<std::vector<std::int64_t>, std::size_t, NumbersHash>;
    struct Node {
        const std::vector<std::int64_t>* state = nullptr; ///< A key of `numbers_`.
        std::int64_t issues = 0;                          ///< Behind it.
        std::vector<Edge> edges;
    };

    static void add(const Edge& edge, const std::vector<Remaining>& remaining, Remaining& sum) {
        if (!edge.to) return sum.add(edge.completion, edge.completion);
        const Remaining& then = remaining[*edge.to];
        sum.add(std::max(edge.completion, models::plus(edge.cycles, then.least)),
                std::max(edge.completion, models::plus(edge.cycles, then.most)));
    }

    /// Each of those that contend in cycle 0 may be the first, then what is still able to issue.
    bool order(SlottedState state, std::vector<Edge>& edges) {
        const std::uint64_t able = steps_.issuing_in(0, state);
        const std::uint64_t rivals = steps_.contending(state, able, 0);
        if (rivals == 0) return issue_all(state, able, 0) && follow(std::move(state), edges);
        for (std::size_t i = 0; i < state.schedulers.size(); ++i) {
            if (((rivals >> i) & 1U) == 0) continue;
            SlottedState next = state;
            if (!issue_all(next, std::uint64_t{1} << i, 0) || !order(std::move(next), edges))
                return false;
        }
        return true;
    }

    bool issue_all(SlottedState& state, std::uint64_t schedulers, std::int64_t cycle) {
        for (std::size_t i = 0; i < state.schedulers.size(); ++i)
            if (((schedulers >> i) & 1U) != 0 &&
                (--left_.issues < 0 || !steps_.issue_on(state, i, cycle)))
                return false;
        return true;
    }

    /// Until schedulers contend.
    bool follow(SlottedState state, std::vector<Edge>& edges) {
        while (const auto cycle = steps_.next_cycle(state)) {
            const std::uint64_t able = steps_.issuing_in(*cycle, state);
            if (steps_.contending(state, able, *cycle) != 0) {
                edges.push_back({node_of(state, *cycle), *cycle, state.completion});
                return true;
            }
            if (!issue_all(state, able, *cycle)) return false;
        }
        edges.push_back({std::nullopt, 0, state.completion});
        return true;
    }

    std::size_t node_of(const SlottedState& state, std::int64_t cycle) {
        const auto [known, is_new] =
            numbers_.try_emplace(steps_.description(state, cycle), nodes_.size());
        if (is_new) {
            left_.numbers -= static_cast<std::int64_t>(known->first.size());
            nodes_.push_back({&known->first, steps_.issues(state), {}});
            unexplored_.push_back(known->second);
        }
        return known->second;
    }

    SlottedSteps& steps_;
    ExplorationLimit& left_;
    Numbers numbers_;
    std::vector<Node> nodes_;
    std::vector<std::size_t> unexplored_;
    std::vector<Edge> starts_;
};

/// Calls `each` for all combinations of starts, until it returns false. Schedulers with one slot
/// table can change places, so that each starts no earlier than the one before.
template <class Each>
bool for_each_start(const std::vector<SchedulerSlots>& tables, const std::vector<std::size_t>& of,
                    std::vector<std::int64_t>& starts, const Each& each) {
    const std::size_t next = starts.size();
    if (next == of.size()) return each(starts);
    const bool is_alike = next > 0 && of[next - 1] == of[next];
    const std::int64_t from = is_alike ? starts.back() : 0;
    for (std::int64_t start = from; start < tables[of[next]].different_starts(); ++start) {
        starts.push_back(start);
        const bool goes_on = for_each_start(tables, of, starts, each);
        starts.pop_back();
        if (!goes_on) return false;
    }
    return true;
}

} // namespace

std::optional<TimeRange> time_in_any_order(const TimedCode& code,
                                           const std::vector<IssueStep>& path,
                                           const std::vector<SchedulerSlots>& schedulers,
                                           ExplorationLimit& left) {
    PathStates states{code, path};
    if (!states.has_exact_uses() || schedulers.size() > most_schedulers) return std::nullopt;
    std::vector<SchedulerSlots> tables;
    std::vector<std::size_t> table_of;
    for (const SchedulerSlots& slots : schedulers) {
        if (tables.empty() || !slots.is_like(tables.back())) tables.push_back(slots);
        table_of.push_back(tables.size() - 1);
    }
    SlottedSteps steps{code, states, tables};
    ContentionGraph graph{steps, left};
    std::vector<std::int64_t> starts;
    const bool is_explored =
        for_each_start(tables, table_of, starts, [&](const std::vector<std::int64_t>& offsets) {
            return graph.explore_from(steps.start(table_of, offsets));
        });
    if (!is_explored) return std::nullopt;
    const Remaining all = graph.from_starts();
    return TimeRange{models::Cycles{all.least}, models::Cycles{all.most}};
}

} // namespace warpbound::certification::verify
