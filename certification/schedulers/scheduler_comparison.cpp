/// \file
/// The comparison of policies: text, JSON and CSV.
#include "certification/schedulers/scheduler_comparison.hpp"

#include "assembly/support/csv_cell.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::certification {

namespace {

using OrderedJson = nlohmann::ordered_json;

double ratio(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 1;
}

std::int64_t unchecked(const SchedulerComparison& comparison) {
    return std::count_if(comparison.assumptions.begin(), comparison.assumptions.end(),
                         [](const analyzer::Assumption& assumption) {
                             return assumption.status == analyzer::AssumptionStatus::Unchecked;
                         });
}

} // namespace

std::optional<double> PolicyResult::bounded_predictability() const {
    if (!bounds) return std::nullopt;
    return ratio(bounds->lower().count(), bounds->upper().count());
}

double PolicyResult::observed_predictability() const {
    return ratio(observed.times.best, observed.times.worst);
}

bool PolicyResult::refuted() const {
    return compared() && (observed.times.best < bounds->lower().count() ||
                          observed.times.worst > bounds->upper().count());
}

std::optional<models::Bounds<models::Nanoseconds>>
SchedulerComparison::time_of(const PolicyResult& result) const {
    if (!clock || !result.bounds) return std::nullopt;
    return models::time_of(*result.bounds, clock->range);
}

bool SchedulerComparison::refuted() const {
    return std::any_of(policies.begin(), policies.end(),
                       [](const PolicyResult& result) { return result.refuted(); });
}

std::string SchedulerComparison::verdict() const {
    if (refuted()) return "refuted";
    if (!undecided.empty()) return "undecided";
    return std::any_of(policies.begin(), policies.end(),
                       [](const PolicyResult& result) { return result.compared(); })
               ? "holds"
               : "none";
}

std::vector<std::size_t> best_trades(const SchedulerComparison& comparison) {
    const auto& policies = comparison.policies;
    const auto worse = [&](std::size_t a, std::size_t b) { // b is preferable to a
        const auto upper = [&](std::size_t i) { return policies[i].bounds->upper(); };
        const auto mean = [&](std::size_t i) { return policies[i].observed.times.mean; };
        const bool no_worse = upper(b) <= upper(a) && mean(b) <= mean(a);
        return no_worse && (upper(b) < upper(a) || mean(b) < mean(a));
    };
    std::vector<std::size_t> bounded;
    for (std::size_t i = 0; i < policies.size(); ++i)
        if (policies[i].bounds) bounded.push_back(i);
    std::vector<std::size_t> best;
    for (const std::size_t a : bounded)
        if (std::none_of(bounded.begin(), bounded.end(),
                         [&](std::size_t b) { return worse(a, b); }))
            best.push_back(a);
    std::stable_sort(best.begin(), best.end(), [&](std::size_t a, std::size_t b) {
        return policies[a].bounds->upper() < policies[b].bounds->upper();
    });
    return best;
}

std::string render_text(const SchedulerComparison& comparison) {
    std::string out =
        fmt::format("{} on {}, launch {}, {} runs per policy ({})\n", printable(comparison.kernel),
                    printable(comparison.architecture),
                    launch_text(comparison.launch, comparison.multiprocessors),
                    comparison.policies.front().observed.times.count, comparison.protocol);
    const std::string verdict = comparison.verdict();
    out += verdict == "none"
               ? std::string{"no verdict (no observation was compared with a bound)\n"}
               : fmt::format("verdict: {}\n", verdict);
    for (const auto& reason : comparison.undecided)
        out += fmt::format("undecided: {}\n", printable(reason));
    out += '\n';
    out += fmt::format("{:<34} {:>10} {:>10} {:>8} {:>8} {:>10} {:>8} {:>8} {:>7} {:>8} {:>7} "
                       "{:>7}\n",
                       "execution time, core cycles", "lower", "upper", "low/upp", "best", "mean",
                       "worst", "bst/wst", "sd CPI", "fairness", "skew", "orders");
    for (const auto& result : comparison.policies) {
        const auto& seen = result.observed;
        const auto bound = [&](bool upper) {
            if (!result.bounds) return std::string{"-"};
            return std::to_string(
                (upper ? result.bounds->upper() : result.bounds->lower()).count());
        };
        const auto proved = result.bounded_predictability();
        out += fmt::format("{:<34} {:>10} {:>10} {:>8} {:>8} {:>10.1f} {:>8} {:>8.3f} {:>7.3f} "
                           "{:>8.4f} {:>7} {:>7}\n",
                           result.policy, bound(false), bound(true),
                           proved ? fmt::format("{:.3f}", *proved) : "-", seen.times.best,
                           seen.times.mean, seen.times.worst, result.observed_predictability(),
                           seen.deviation_cpi, seen.mean_fairness, seen.widest_spread, seen.orders);
    }
    out += "\nlower, upper: bounds under assumptions, ";
    out += fmt::format("{} unchecked; low/upp: proved predictability\n", unchecked(comparison));
    out += "clock " + printable(clock_phrase(comparison.clock)) + "\n";
    for (const auto& result : comparison.policies)
        if (const auto time = comparison.time_of(result))
            out += fmt::format("  {}: {} to {}\n", result.policy,
                               time_text(time->lower(), analyzer::Side::Lower),
                               time_text(time->upper(), analyzer::Side::Upper));
    out += "best, mean, worst: observed; fairness: Jain's index of the warps' end times; skew: "
           "first to last warp's end\norders: number of distinct issue orders of the warps\n";
    for (const auto& result : comparison.policies)
        if (!result.bounds)
            out += fmt::format("{} ({}) has no bounds: {}\n", result.policy, result.guarantee,
                               printable(result.refusal));
    out += fmt::format("\n{} (--rank {})\n", ranking_title(comparison.ranked_by),
                       to_string(comparison.ranked_by));
    for (const Rank& ranked : rank(comparison))
        out += fmt::format("  {} {}: {}\n",
                           ranked.position ? fmt::format("{}.", *ranked.position) : "-.",
                           comparison.policies[ranked.policy].policy, ranked.reason);
    const auto trades = best_trades(comparison);
    if (!trades.empty())
        out +=
            "\nbest trade-offs of upper bound and mean (Pareto front): no other bounded policy is "
            "better in both\n";
    for (const std::size_t index : trades) {
        const PolicyResult& result = comparison.policies[index];
        out += fmt::format("  {}: upper bound {}, mean {:.1f}\n", result.policy,
                           result.bounds->upper().count(), result.observed.times.mean);
    }
    return out;
}

namespace {

OrderedJson rank_json(const SchedulerComparison& comparison, const Rank& ranked) {
    OrderedJson ties = OrderedJson::array();
    for (const std::size_t tied : ranked.ties)
        ties.push_back(comparison.policies[tied].policy);
    OrderedJson json{{"policy", comparison.policies[ranked.policy].policy},
                     {"position", nullptr},
                     {"value", nullptr},
                     {"ties", std::move(ties)},
                     {"reason", ranked.reason}};
    if (ranked.position) json["position"] = *ranked.position;
    if (ranked.value) json["value"] = *ranked.value;
    return json;
}

} // namespace

std::string render_json(const SchedulerComparison& comparison) {
    OrderedJson policies = OrderedJson::array();
    for (const auto& result : comparison.policies) {
        const auto& seen = result.observed;
        OrderedJson json{{"policy", result.policy}, {"guarantee", result.guarantee}};
        if (result.bounds) {
            json["bounds"] = {{"quantity", "execution-time"},
                              {"lower", result.bounds->lower().count()},
                              {"upper", result.bounds->upper().count()},
                              {"unit", "cycles"},
                              {"kind", "bound-under-assumptions"},
                              {"predictability", *result.bounded_predictability()}};
            if (const auto time = comparison.time_of(result))
                json["time"] = {{"lower_ns", time->lower().count()},
                                {"upper_ns", time->upper().count()}};
        } else {
            json["refusal"] = printable(result.refusal);
        }
        json["observations"] = {{"kind", "observed"},
                                {"count", seen.times.count},
                                {"best", seen.times.best},
                                {"mean", seen.times.mean},
                                {"worst", seen.times.worst},
                                {"median", seen.times.median},
                                {"distinct", seen.times.distinct},
                                {"unit", "cycles"},
                                {"predictability", result.observed_predictability()},
                                {"mean-cpi", seen.mean_cpi},
                                {"standard-deviation-cpi", seen.deviation_cpi},
                                {"issue-orders", seen.orders},
                                {"mean-fairness", seen.mean_fairness},
                                {"widest-spread", seen.widest_spread}};
        json["refuted"] = result.refuted();
        policies.push_back(std::move(json));
    }
    OrderedJson ranking = OrderedJson::array();
    for (const Rank& ranked : rank(comparison))
        ranking.push_back(rank_json(comparison, ranked));
    OrderedJson trades = OrderedJson::array();
    for (const std::size_t index : best_trades(comparison))
        trades.push_back(comparison.policies[index].policy);
    OrderedJson assumptions = OrderedJson::array();
    for (const auto& assumption : comparison.assumptions)
        assumptions.push_back({{"id", assumption.id},
                               {"text", printable(assumption.text)},
                               {"status", analyzer::to_string(assumption.status)}});
    OrderedJson json{
        {"schema", "warpbound-schedulers/1"},
        {"tool", {{"name", "warpbound"}, {"version", comparison.tool_version}}},
        {"kernel", {{"name", printable(comparison.kernel)}, {"digest", comparison.kernel_digest}}},
        {"architecture",
         {{"name", printable(comparison.architecture)},
          {"digest", comparison.architecture_digest}}},
        {"launch", comparison.launch},
        {"protocol", comparison.protocol},
        {"verdict", comparison.verdict()},
        {"policies", policies},
        {"ranked-by", to_string(comparison.ranked_by)},
        {"ranking", ranking},
        {"best-trades", trades},
        {"assumptions", assumptions}};
    if (comparison.clock)
        json["clock"] = {{"clock_hz", {comparison.clock->range.lo, comparison.clock->range.hi}},
                         {"source", comparison.clock->source},
                         {"assumption", comparison.clock->assumption}};
    if (!comparison.undecided.empty()) json["undecided"] = comparison.undecided;
    if (comparison.multiprocessors > 1) json["multiprocessors"] = comparison.multiprocessors;
    return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string render_csv(const SchedulerComparison& comparison) {
    std::string out = "policy,guarantee,lower bound,upper bound,runs,best,mean,worst,distinct "
                      "times,mean CPI,standard deviation CPI,issue orders,mean fairness,widest "
                      "spread,lower bound ns,upper bound ns\n";
    for (const auto& result : comparison.policies) {
        const auto& seen = result.observed;
        const auto time = comparison.time_of(result);
        out += fmt::format("{},{},{},{},{},{},{:.6f},{},{},{:.6f},{:.6f},{},{:.6f},{},{},{}\n",
                           csv_cell(result.policy), result.guarantee,
                           result.bounds ? std::to_string(result.bounds->lower().count()) : "",
                           result.bounds ? std::to_string(result.bounds->upper().count()) : "",
                           seen.times.count, seen.times.best, seen.times.mean, seen.times.worst,
                           seen.times.distinct, seen.mean_cpi, seen.deviation_cpi, seen.orders,
                           seen.mean_fairness, seen.widest_spread,
                           time ? std::to_string(time->lower().count()) : "",
                           time ? std::to_string(time->upper().count()) : "");
    }
    return out;
}

} // namespace warpbound::certification
