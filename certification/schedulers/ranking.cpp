/// \file
/// The ranking of policies by what the user chose, with ties.
#include "certification/schedulers/scheduler_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace warpbound::certification {

namespace {

std::optional<std::int64_t> ranked_value(const PolicyResult& result, RankBy by) {
    const auto& seen = result.observed.times;
    if (by == RankBy::Jitter)
        return seen.count > 0 ? std::optional{seen.worst - seen.best} : std::nullopt;
    if (!result.bounds) return std::nullopt;
    const std::int64_t upper = result.bounds->upper().count();
    return by == RankBy::Bound ? upper : upper - result.bounds->lower().count();
}

/// The ranked value first, then what it costs: the upper bound against the least of all.
std::string reason_of(const SchedulerComparison& comparison, const Rank& ranked) {
    const RankBy by = comparison.ranked_by;
    const PolicyResult& result = comparison.policies[ranked.policy];
    if (!ranked.value)
        return by == RankBy::Jitter ? "not ranked: it has no runs" : "not ranked: it has no bounds";
    std::string reason = fmt::format("{} {} cycles",
                                     by == RankBy::Bound    ? "upper bound"
                                     : by == RankBy::Spread ? "spread"
                                                            : "jitter",
                                     *ranked.value);
    std::optional<std::int64_t> least;
    for (const auto& other : comparison.policies)
        if (other.bounds && (!least || other.bounds->upper().count() < *least))
            least = other.bounds->upper().count();
    if (!result.bounds) {
        reason += ", not bounded";
    } else {
        const std::int64_t upper = result.bounds->upper().count();
        if (by != RankBy::Bound) reason += fmt::format(", upper bound {}", upper);
        if (*least > 0 && upper > *least)
            reason += fmt::format(", {:.2f} times the least upper bound",
                                  static_cast<double>(upper) / static_cast<double>(*least));
    }
    for (std::size_t i = 0; i < ranked.ties.size(); ++i)
        reason += (i == 0 ? "; tie with " : ", ") + comparison.policies[ranked.ties[i]].policy;
    return reason;
}

} // namespace

std::string_view ranking_title(RankBy by) {
    switch (by) {
    case RankBy::Bound:
        return "smallest upper bound first";
    case RankBy::Spread:
        return "smallest spread of the bounds (upper - lower) first: most predictable by its "
               "bounds";
    case RankBy::Jitter:
        break;
    }
    return "smallest observed jitter (worst - best) first: most predictable in these runs";
}

std::vector<Rank> rank(const SchedulerComparison& comparison) {
    const std::size_t count = comparison.policies.size();
    std::vector<std::optional<std::int64_t>> values;
    for (const auto& result : comparison.policies)
        values.push_back(ranked_value(result, comparison.ranked_by));
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (!values[a] || !values[b]) return values[a].has_value() && !values[b];
        return *values[a] < *values[b];
    });
    std::vector<Rank> ranks;
    for (const std::size_t index : order) {
        Rank ranked{index, std::nullopt, values[index], {}, {}};
        if (ranked.value) {
            ranked.position = 1;
            for (std::size_t other = 0; other < count; ++other) {
                if (!values[other] || other == index) continue;
                if (*values[other] < *ranked.value) ++*ranked.position;
                if (*values[other] == *ranked.value) ranked.ties.push_back(other);
            }
        }
        ranked.reason = reason_of(comparison, ranked);
        ranks.push_back(std::move(ranked));
    }
    return ranks;
}

} // namespace warpbound::certification
