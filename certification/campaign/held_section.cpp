#include "certification/campaign/held_section.hpp"

#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace warpbound::certification {

namespace {

constexpr double nanoseconds_of_millisecond = 1e6;

/// Null where no run counts.
const harness::Summary* summary_of(const CampaignReport& report, const harness::SeriesKey& key) {
    for (const auto& group : report.groups)
        for (const auto& point : group.points)
            if (point.series.key == key) return point.summary ? &*point.summary : nullptr;
    return nullptr;
}

bool is_time(const HeldRuns& held) {
    return harness::is_wall_time(held.key.quantity);
}

/// A time in ms, exact to the nanosecond; cycles as they are.
std::string time_text(const HeldRuns& held, double time) {
    return is_time(held) ? fmt::format("{:.6f}", time / nanoseconds_of_millisecond)
                         : fmt::format("{:.10g}", time);
}

double drawn(const HeldRuns& held, double time) {
    return is_time(held) ? time / nanoseconds_of_millisecond : time;
}

std::string verdict_of(const HeldRuns& held) {
    if (!held.not_held.empty()) return "not held: " + held.not_held;
    if (held.below + held.above > 0)
        return fmt::format("{} outside: a finding", held.below + held.above);
    if (held.undecided > 0) return fmt::format("{} undecided", held.undecided);
    return held.inside > 0 ? "inside" : "no run counts";
}

std::string row_of(const CampaignReport& report, const HeldRuns& held) {
    const auto* const summary = summary_of(report, held.key);
    const auto number = [&](auto of) {
        return cell(summary ? time_text(held, static_cast<double>(of(*summary))) : std::string{},
                    true);
    };
    const bool compared = held.not_held.empty();
    const auto of_bounds = [&](std::int64_t value) {
        return cell(compared ? time_text(held, static_cast<double>(value)) : std::string{}, true);
    };
    const auto runs = [&](std::int64_t value) {
        return cell(compared ? std::to_string(value) : std::string{}, true);
    };
    return "<tr>" + cell(held.release) + of_bounds(held.lower) +
           number([](const auto& of) { return of.best; }) +
           number([](const auto& of) { return of.mean; }) +
           number([](const auto& of) { return of.worst; }) + of_bounds(held.upper) +
           runs(held.inside) + runs(held.below) + runs(held.above) + runs(held.undecided) +
           cell(verdict_of(held)) + "</tr>\n";
}

std::string figure_of(const CampaignReport& report, const std::string& unit) {
    std::vector<RangeRow> rows;
    for (const auto& held : report.held) {
        const auto* const summary = summary_of(report, held.key);
        if (summary == nullptr) continue;
        RangeRow row{.label = held.release,
                     .bounds = {},
                     .best = drawn(held, static_cast<double>(summary->best)),
                     .mean = drawn(held, summary->mean),
                     .worst = drawn(held, static_cast<double>(summary->worst))};
        if (held.not_held.empty())
            row.bounds = {drawn(held, static_cast<double>(held.lower)),
                          drawn(held, static_cast<double>(held.upper))};
        rows.push_back(std::move(row));
    }
    if (rows.empty()) return {};
    const RangesText text{.title = "Runs and bounds by release pattern",
                          .row = "release pattern",
                          .axis = "time in " + unit,
                          .least_step = is_time(report.held.front()) ? 0.0 : 1.0};
    const auto drawn_as = [&](FigureSize size) { return ranges_figure(text, rows, {}, size); };
    return figure(drawn_as(FigureSize::Wide), drawn_as(FigureSize::Narrow),
                  "Bounds (lines with ends), measured runs (bars) and their mean (vertical marks) "
                  "by release pattern, in " +
                      unit);
}

} // namespace

std::string held_section(const CampaignReport& report) {
    if (report.held.empty()) return {};
    const HeldRuns& first = report.held.front();
    const std::string unit = is_time(first) ? "ms" : "core cycles";
    std::string out =
        fmt::format("<h2 id=\"bounds\">Runs against their bounds</h2>\n<p>{} of "
                    "launch {}: {}.</p>\n",
                    escape(first.key.name), escape(first.key.launch), escape(first.bound));
    std::string rows;
    std::vector<std::string> clocks;
    for (const auto& held : report.held) {
        rows += row_of(report, held);
        if (!held.clock.empty() &&
            std::find(clocks.begin(), clocks.end(), held.clock) == clocks.end())
            clocks.push_back(held.clock);
    }
    for (const auto& clock : clocks)
        out += fmt::format("<p class=\"quiet\">Clock: {}.</p>\n", escape(clock));
    if (is_time(first))
        out += "<p class=\"quiet\">A time between events contains what the launch takes. One above "
               "the upper bound by at most an empty launch and the resolution of the events is "
               "undecided.</p>\n";
    return out + figure_of(report, unit) +
           table(is_time(first) ? "Times between events in ms: the kernel and what its launch takes"
                                : "Execution times in core cycles",
                 {{"release", false},
                  {"lower bound", true},
                  {"best", true},
                  {"mean", true},
                  {"worst", true},
                  {"upper bound", true},
                  {"inside", true},
                  {"below", true},
                  {"above", true},
                  {"undecided", true},
                  {"verdict", false}},
                 rows);
}

} // namespace warpbound::certification
