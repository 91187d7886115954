#include "tests/support/simt_states.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace warpbound::tests {

namespace {

using certification::verify::WarpStates;

using Pair = std::pair<std::size_t, std::size_t>; ///< A state of `exact` and one of `more`.

bool is_covered_by(const WarpStates::State& exact, const WarpStates::State& more) {
    return exact.block == more.block && (more.ends || !exact.ends) &&
           (exact.converged || !more.converged);
}

} // namespace

bool has_all_runs(const WarpStates& more, const WarpStates& exact) {
    const bool has_groups = std::includes(more.groups.begin(), more.groups.end(),
                                          exact.groups.begin(), exact.groups.end());
    const bool has_points = std::includes(more.resumed_blocks.begin(), more.resumed_blocks.end(),
                                          exact.resumed_blocks.begin(), exact.resumed_blocks.end());
    const bool has_turned =
        std::all_of(exact.turned.begin(), exact.turned.end(), [&](const auto& turned) {
            const auto known = more.turned.find(turned.first);
            return known != more.turned.end() &&
                   std::includes(known->second.begin(), known->second.end(), turned.second.begin(),
                                 turned.second.end());
        });
    if (!has_groups || !has_points || !has_turned) return false;
    // Greatest simulation: pairs of which each step of the one is a step of the other.
    std::map<Pair, bool> simulates{{{0, 0}, true}};
    std::vector<Pair> work{{0, 0}};
    const auto for_each_match = [&](std::size_t step, std::size_t from, const auto& each) {
        for (const std::size_t to : more.states[from].next)
            if (is_covered_by(exact.states[step], more.states[to])) each(Pair{step, to});
    };
    while (!work.empty()) {
        const Pair pair = work.back();
        work.pop_back();
        for (const std::size_t step : exact.states[pair.first].next)
            for_each_match(step, pair.second, [&](const Pair& next) {
                if (simulates.emplace(next, true).second) work.push_back(next);
            });
    }
    for (bool dropped = true; dropped;) {
        dropped = false;
        for (auto& [pair, holds] : simulates) {
            if (!holds) continue;
            const std::size_t from = pair.second;
            const auto& steps = exact.states[pair.first].next;
            holds = std::all_of(steps.begin(), steps.end(), [&](std::size_t step) {
                bool matched = false;
                for_each_match(step, from,
                               [&](const Pair& next) { matched = matched || simulates.at(next); });
                return matched;
            });
            dropped = dropped || !holds;
        }
    }
    return simulates.at({0, 0});
}

} // namespace warpbound::tests
