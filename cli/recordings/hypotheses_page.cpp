/// \file
/// Verdicts on rules of scheduling as one page: verdicts first, then the runs that violate a rule.
#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"
#include "cli/recordings/hypotheses_answer.hpp"
#include "harness/hypotheses/experiments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace warpbound::cli {

namespace {

using certification::cell;
using certification::escape;
using certification::FigureSize;
using harness::hypotheses::entry_of;
using harness::hypotheses::ObservedWorkload;
using harness::hypotheses::TestedRule;
using harness::hypotheses::Verdict;

constexpr std::size_t most_lanes = 48;
constexpr std::size_t most_bars = 1000;

struct Bar {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::size_t operation = 0;
    std::int64_t block = -1; ///< None: a copy.
};

/// Blocks of an SM or copies, in rows in which none overlap.
struct Lane {
    std::string name;
    std::vector<std::vector<Bar>> rows;
};

void put(Lane& lane, const Bar& bar) {
    const auto free = std::find_if(lane.rows.begin(), lane.rows.end(),
                                   [&](const auto& row) { return row.back().end <= bar.begin; });
    if (free == lane.rows.end())
        lane.rows.push_back({bar});
    else
        free->push_back(bar);
}

std::vector<Lane> lanes_of(const ObservedWorkload& run) {
    std::vector<std::pair<std::int64_t, Bar>> bars; ///< SM, or -1 for copies.
    for (std::size_t o = 0; o < run.operations.size(); ++o) {
        const auto& operation = run.operations[o];
        if (!operation.is_launch())
            bars.push_back({-1, {operation.begin.latest, operation.end.latest, o}});
        for (std::size_t b = 0; b < operation.blocks.size(); ++b)
            bars.push_back({operation.blocks[b].multiprocessor,
                            {operation.blocks[b].begin, operation.blocks[b].end, o,
                             static_cast<std::int64_t>(b)}});
    }
    std::stable_sort(bars.begin(), bars.end(), [](const auto& a, const auto& b) {
        return std::tie(a.first, a.second.begin) < std::tie(b.first, b.second.begin);
    });
    std::map<std::int64_t, Lane> lanes;
    for (const auto& [server, bar] : bars) {
        Lane& lane = lanes[server];
        lane.name = server < 0 ? "copies" : fmt::format("SM {}", server);
        put(lane, bar);
    }
    std::vector<Lane> all;
    for (auto& [server, lane] : lanes)
        all.push_back(std::move(lane));
    return all;
}

std::string rectangle(const ObservedWorkload& run, const Bar& bar, double x, double y,
                      double width) {
    const auto& name = run.operations[bar.operation].name;
    return fmt::format("<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"8\">"
                       "<title>{}{}: {} to {} {}</title></rect>\n",
                       certification::stack_class(bar.operation), x, y, width, escape(name),
                       bar.block < 0 ? "" : fmt::format(", block {}", bar.block), bar.begin,
                       bar.end, to_string(run.unit));
}

/// `at`: the time that should not have been.
std::string timeline(const ObservedWorkload& run, std::int64_t at, FigureSize size) {
    const auto lanes = lanes_of(run);
    certification::Axis axis{.lo = 0, .hi = 1, .canvas = certification::canvas_of(size)};
    axis.lo = axis.hi = static_cast<double>(at);
    for (const auto& lane : lanes)
        for (const auto& row : lane.rows)
            for (const Bar& bar : row) {
                axis.lo = std::min(axis.lo, static_cast<double>(bar.begin));
                axis.hi = std::max(axis.hi, static_cast<double>(bar.end));
            }
    axis.hi = std::max(axis.hi, axis.lo + 1);
    std::string body;
    double y = 4;
    std::size_t drawn_rows = 0;
    std::size_t drawn_bars = 0;
    for (const auto& lane : lanes) {
        if (drawn_rows + lane.rows.size() > most_lanes && drawn_rows > 0) break;
        body += fmt::format("<text x=\"2\" y=\"{:.1f}\">{}</text>\n", y + 9, lane.name);
        for (const auto& row : lane.rows) {
            for (const Bar& bar : row) {
                if (++drawn_bars > most_bars) break;
                const double begin = axis.x(static_cast<double>(bar.begin));
                const double end = axis.x(static_cast<double>(bar.end));
                body += rectangle(run, bar, begin, y, std::max(0.5, end - begin - 0.5));
            }
            y += 10;
            ++drawn_rows;
        }
        y += 8;
    }
    body += fmt::format("<line class=\"deadline\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" "
                        "y2=\"{1:.1f}\"/>\n",
                        axis.x(static_cast<double>(at)), y);
    body += certification::drawn_axis(axis, y, fmt::format("time [{}]", to_string(run.unit)), {});
    return fmt::format(
               "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\"><title>Blocks over time"
               "</title><desc>A row for each block that an SM executes at a time; the dashed "
               "line is the time that should not have been.</desc>\n",
               axis.canvas.width, y + certification::axis_height({})) +
           body + "</svg>\n";
}

std::string legend(const ObservedWorkload& run) {
    std::string keys;
    for (std::size_t o = 0; o < run.operations.size() && o < 16; ++o) {
        const auto& operation = run.operations[o];
        keys += fmt::format(
            "<span class=\"key\"><svg viewBox=\"0 0 10 10\"><rect class=\"{}\"/></svg></span>{} "
            "({}) ",
            certification::stack_class(o), escape(operation.name),
            operation.stream ? fmt::format("stream {}", *operation.stream) : "NULL stream");
    }
    return "<p>" + keys + "</p>\n";
}

const ObservedWorkload* run_of(const HypothesesAnswer& answer,
                               const harness::hypotheses::CounterExample& example) {
    std::size_t number = 0;
    for (const auto& run : answer.recording->runs)
        if (run.experiment == example.experiment && number++ == example.run) return &run;
    return nullptr;
}

std::string violations(const HypothesesAnswer& answer) {
    std::string out;
    for (const TestedRule& tested : answer.tested) {
        if (!tested.counter_example) continue;
        const auto& example = *tested.counter_example;
        const std::string id{entry_of(tested.rule).id};
        out += certification::heading({3, ""}, "violated-" + id, "Rule " + id) + "<p>" +
               escape(std::string{entry_of(tested.rule).statement}) + "</p>\n<p>" +
               escape(result_of(answer, tested)) + "</p>\n";
        const ObservedWorkload* const run = run_of(answer, example);
        if (run == nullptr) continue;
        out += legend(*run) +
               certification::figure(timeline(*run, example.at, FigureSize::Wide),
                                     timeline(*run, example.at, FigureSize::Narrow),
                                     fmt::format("Run {} of experiment {}. The dashed line is the "
                                                 "time that should not have been.",
                                                 example.run + 1, example.experiment));
    }
    return out.empty() ? out : certification::heading({}, "violations", "Violations") + out;
}

std::string rules_table(const HypothesesAnswer& answer) {
    std::string rows;
    for (const TestedRule& tested : answer.tested) {
        const auto& entry = entry_of(tested.rule);
        rows += "<tr>" + cell(std::string{entry.id}) +
                cell(std::string{to_string(tested.verdict)}) + cell(std::string{entry.statement}) +
                cell(result_of(answer, tested)) + cell(std::string{entry.experiment}) +
                cell(std::string{entry.source}) + "</tr>\n";
    }
    return certification::sortable_table("'holds' means that no run showed a violation: no proof",
                                         {{"rule", false},
                                          {"verdict", false},
                                          {"hypothesis", false},
                                          {"result", false},
                                          {"experiment", false},
                                          {"source", false}},
                                         rows);
}

std::string experiments_list(const HypothesesAnswer& answer) {
    std::set<std::string_view> used;
    for (const TestedRule& tested : answer.tested)
        used.insert(entry_of(tested.rule).experiment);
    std::string items;
    for (const auto& experiment : harness::hypotheses::all_experiments())
        if (used.count(experiment.name) > 0)
            items += "<dt>" + escape(std::string{experiment.name}) + "</dt><dd>" +
                     escape(std::string{experiment.picture}) + "</dd>\n";
    return "<dl>\n" + items + "</dl>\n";
}

std::string summary(const HypothesesAnswer& answer) {
    const auto violated = count_of(answer, Verdict::Violated);
    std::string names;
    for (const TestedRule& tested : answer.tested)
        if (tested.verdict == Verdict::Violated)
            names += (names.empty() ? "" : ", ") + std::string{entry_of(tested.rule).id};
    return "<div class=\"summary\">\n" +
           certification::card(fmt::format("{} violated", violated),
                               violated == 0 ? "no run shows a violation" : names,
                               violated == 0 ? "" : "refuted") +
           certification::card(fmt::format("{} hold", count_of(answer, Verdict::Holds)),
                               "no violation in the counted comparisons; no proof", "holds") +
           certification::card(fmt::format("{} not tested", count_of(answer, Verdict::NotTested)),
                               "the table says why") +
           "</div>\n";
}

} // namespace

std::string html_of(const HypothesesAnswer& answer) {
    const auto& recording = *answer.recording;
    const certification::SectionScope scope;
    std::string body = "<h1>Rules of scheduling: " + escape(recording.device) + "</h1>\n" +
                       fmt::format("<p class=\"quiet\">{}{}{} runs</p>\n", escape(recording.detail),
                                   recording.detail.empty() ? "" : "; ", recording.runs.size()) +
                       summary(answer) + certification::heading(scope, "rules", "Rules") +
                       rules_table(answer) + violations(answer);
    if (!recording.notes.empty()) {
        body += certification::heading(scope, "assumptions", "Assumptions") + "<ul>\n";
        for (const std::string& note : recording.notes)
            body += "<li>" + escape(note) + "</li>\n";
        body += "</ul>\n";
    }
    body += certification::heading(scope, "experiments", "Experiments") + experiments_list(answer);
    return certification::page("Rules of scheduling: " + recording.device, body);
}

} // namespace warpbound::cli
