/// \file
/// The comparison of policies as one self-contained page.
#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"
#include "certification/report/assumptions_html.hpp"
#include "certification/report/timeline_figure.hpp"
#include "certification/report/wording.hpp"
#include "certification/schedulers/scheduler_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification {

namespace {

std::string verdict_card(const SchedulerComparison& comparison) {
    const std::string verdict = comparison.verdict();
    if (verdict == "refuted")
        return card("Refuted", "An observation lies outside a bound.", "refuted");
    if (verdict == "undecided")
        return card("Undecided", joined(comparison.undecided, "; ") + ".", "undecided");
    if (verdict == "none") return card("No verdict", "No observation was compared with a bound.");
    return card("Holds", "Every observation lies inside the bounds of its policy.", "holds");
}

std::string summary(const SchedulerComparison& comparison, const std::vector<Rank>& ranks) {
    const PolicyResult& first = comparison.policies[ranks.front().policy];
    std::string out =
        fmt::format("<h1>Warp schedulers: {} on {}</h1>\n<p class=\"quiet\">Launch "
                    "{} (blocks x threads); {}; {} runs per policy.</p>\n",
                    escape(comparison.kernel), escape(comparison.architecture),
                    escape(launch_text(comparison.launch, comparison.multiprocessors)),
                    escape(comparison.protocol), first.observed.times.count);
    out += "<div class=\"summary\">\n" + verdict_card(comparison);
    if (ranks.front().value) out += card(first.policy, ranks.front().reason);
    return out + "</div>\n";
}

std::string ranking(const SchedulerComparison& comparison, const std::vector<Rank>& ranks) {
    std::string out = fmt::format("<h2 id=\"ranking\">Ranking by {}</h2>\n<p>{}.</p>\n<ul>\n",
                                  to_string(comparison.ranked_by),
                                  escape(std::string{ranking_title(comparison.ranked_by)}));
    for (const Rank& ranked : ranks)
        out +=
            fmt::format("<li>{} <b>{}</b>: {}</li>\n",
                        ranked.position ? fmt::format("{}.", *ranked.position) : "",
                        escape(comparison.policies[ranked.policy].policy), escape(ranked.reason));
    return out + "</ul>\n";
}

std::string trades(const SchedulerComparison& comparison) {
    std::string items;
    for (const std::size_t index : best_trades(comparison)) {
        const PolicyResult& result = comparison.policies[index];
        items +=
            fmt::format("<li><b>{}</b>: upper bound {}, mean {:.1f}</li>\n", escape(result.policy),
                        result.bounds->upper().count(), result.observed.times.mean);
    }
    if (items.empty()) return {};
    return "<h2 id=\"trades\">Best trade-offs</h2>\n<p>Pareto front: no other bounded policy is "
           "better in both the upper bound and the mean of the observed times.</p>\n<ul>\n" +
           items + "</ul>\n";
}

std::string timelines(const SchedulerComparison& comparison) {
    std::string out;
    std::int64_t longest = 0;
    for (const auto& result : comparison.policies)
        if (result.slowest) longest = std::max(longest, result.slowest->time);
    for (const auto& result : comparison.policies)
        if (result.slowest)
            out += figure(timeline_figure("Slowest run under " + result.policy, *result.slowest,
                                          longest, FigureSize::Wide),
                          timeline_figure("Slowest run under " + result.policy, *result.slowest,
                                          longest, FigureSize::Narrow),
                          fmt::format("{}: {} cycles, seed {}", result.policy, result.slowest->time,
                                      result.slowest->seed));
    if (out.empty()) return {};
    return "<h2 id=\"timelines\">Slowest runs</h2>\n<p>One row per warp of the launch, dark in the "
           "cycles in which it issues; all timelines share one axis.</p>\n" +
           out;
}

/// Bounds in seconds, where a clock is known.
std::string time_cells(const SchedulerComparison& comparison, const PolicyResult& result) {
    if (!comparison.clock) return {};
    const auto times = comparison.time_of(result);
    if (!times) return cell("none", true) + cell("none", true);
    return cell(time_text(times->lower(), analyzer::Side::Lower), true) +
           cell(time_text(times->upper(), analyzer::Side::Upper), true);
}

std::string envelopes(const SchedulerComparison& comparison) {
    std::vector<RangeRow> rows;
    std::string cells;
    std::string refusals;
    for (const auto& result : comparison.policies) {
        const auto& seen = result.observed;
        RangeRow row{result.policy, std::nullopt, static_cast<double>(seen.times.best),
                     seen.times.mean, static_cast<double>(seen.times.worst)};
        if (result.bounds)
            row.bounds = {static_cast<double>(result.bounds->lower().count()),
                          static_cast<double>(result.bounds->upper().count())};
        else
            refusals += fmt::format("<li>{} ({}): {}</li>\n", escape(result.policy),
                                    escape(result.guarantee), escape(result.refusal));
        rows.push_back(std::move(row));
        const auto bound = [&](bool upper) {
            if (!result.bounds) return std::string{"none"};
            return std::to_string(
                (upper ? result.bounds->upper() : result.bounds->lower()).count());
        };
        const auto proved = result.bounded_predictability();
        cells += "<tr>" + cell(result.policy) + cell(result.guarantee) + cell(bound(false), true) +
                 cell(bound(true), true) + time_cells(comparison, result) +
                 cell(proved ? fmt::format("{:.3f}", *proved) : "", true) +
                 cell(std::to_string(seen.times.best), true) +
                 cell(fmt::format("{:.1f}", seen.times.mean), true) +
                 cell(std::to_string(seen.times.worst), true) +
                 cell(fmt::format("{:.3f}", result.observed_predictability()), true) +
                 cell(fmt::format("{:.4f}", seen.deviation_cpi), true) +
                 cell(fmt::format("{:.4f}", seen.mean_fairness), true) +
                 cell(std::to_string(seen.widest_spread), true) +
                 cell(std::to_string(seen.orders), true) + "</tr>\n";
    }
    Columns columns{
        {"policy", false}, {"guarantee", false}, {"lower bound", true}, {"upper bound", true}};
    if (comparison.clock) columns.insert(columns.end(), {{"at least", true}, {"at most", true}});
    columns.insert(columns.end(), {{"lower / upper", true},
                                   {"best", true},
                                   {"mean", true},
                                   {"worst", true},
                                   {"best / worst", true},
                                   {"sd of CPI", true},
                                   {"fairness", true},
                                   {"skew", true},
                                   {"orders", true}});
    const auto range = comparison.clock ? std::optional{comparison.clock->range} : std::nullopt;
    const auto drawn = [&](FigureSize size) {
        return ranges_figure({.title = "Execution time by policy",
                              .row = "policy",
                              .axis = "execution time in cycles",
                              .least_step = 1},
                             rows, range, size);
    };
    return "<h2 id=\"envelopes\">Envelopes</h2>\n" +
           figure(drawn(FigureSize::Wide), drawn(FigureSize::Narrow),
                  "Bounds (lines with ends), observed times (bars) and their mean (vertical marks) "
                  "of the execution time by policy") +
           sortable_table("Execution time in core cycles", columns, cells) +
           (refusals.empty()
                ? ""
                : "<h2 id=\"unbounded\">Not bounded</h2>\n<ul>\n" + refusals + "</ul>\n");
}

std::string closing(const SchedulerComparison& comparison) {
    auto rows = register_rows(comparison.assumptions);
    if (comparison.clock)
        rows.push_back({.id = "clock",
                        .subject = comparison.clock->is_stated ? "user" : "machine",
                        .status = "unchecked",
                        .text = comparison.clock->assumption,
                        .claims = ""});
    return "<h2 id=\"assumptions\">Assumptions of the bounds</h2>\n" +
           fmt::format("<p>Clock: {}.</p>\n", escape(clock_phrase(comparison.clock))) +
           assumption_groups(rows, {}, {}, {}) +
           "<h2 id=\"glossary\">Glossary</h2>\n<dl>\n"
           "<dt>bound</dt><dd>Limit that no run exceeds (upper) or falls below (lower) as long as "
           "every assumption is true.</dd>\n"
           "<dt>best, mean, worst</dt><dd>Observed on the simulated device; they show what can "
           "happen, not what cannot.</dd>\n"
           "<dt>lower / upper</dt><dd>Guaranteed predictability: lower over upper bound; 1 when "
           "all "
           "runs take the same time.</dd>\n"
           "<dt>spread</dt><dd>Upper less lower bound: no two runs differ by more.</dd>\n"
           "<dt>jitter</dt><dd>Worst less best observed time.</dd>\n"
           "<dt>sd of CPI</dt><dd>Standard deviation over the runs of cycles per warp "
           "instruction.</dd>\n"
           "<dt>fairness</dt><dd>Jain's index of the warps' end times, mean over the runs: 1 when "
           "all warps end in the same cycle.</dd>\n"
           "<dt>skew</dt><dd>Largest time between the first and the last warp's end.</dd>\n"
           "<dt>orders</dt><dd>Number of distinct orders in which the warps issued.</dd>\n</dl>\n" +
           fmt::format("<p class=\"quiet\">warpbound {}; kernel {}; machine {}.</p>\n",
                       escape(comparison.tool_version), escape(comparison.kernel_digest),
                       escape(comparison.architecture_digest));
}

} // namespace

std::string render_html(const SchedulerComparison& comparison) {
    const auto ranks = rank(comparison);
    return page(
        fmt::format("Warp schedulers: {} on {}", comparison.kernel, comparison.architecture),
        summary(comparison, ranks) + ranking(comparison, ranks) + trades(comparison) +
            envelopes(comparison) + timelines(comparison) + closing(comparison));
}

} // namespace warpbound::certification
