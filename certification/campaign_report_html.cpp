/// \file
/// The report on a campaign as one self-contained page.
#include "certification/campaign_report.hpp"
#include "certification/chart.hpp"
#include "certification/html_parts.hpp"
#include "certification/plot.hpp"
#include "harness/protocol/copy_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>

namespace warpbound::certification {

namespace {

using harness::axis_value;
using Points = std::vector<const CampaignPoint*>;

constexpr std::size_t most_lines = 8;
/// Half of the confidence interval of a mean, as a share of it: a larger one is listed.
constexpr double wide = 0.01;

/// What the table of a quantity shows.
std::string caption_of(const std::string& quantity) {
    if (quantity == to_string(harness::Quantity::ResidentBlocks))
        return "Most blocks on an SM at once, of each run";
    const std::string what = quantity == to_string(harness::Quantity::Region)
                                 ? "Largest time of a warp between its clock reads,"
                             : quantity == to_string(harness::Quantity::Clocks)
                                 ? "Last clock read since the first of the launch,"
                                 : "Execution time";
    return what + " of each run in core cycles";
}

std::string unit_of(const CampaignGroup& group) {
    const std::string_view unit = harness::unit_of(group.quantity);
    return unit == "cycles" ? "core cycles" : std::string{unit};
}

Points with_times(const CampaignGroup& group) {
    Points points;
    for (const auto& point : group.points)
        if (point.summary) points.push_back(&point);
    return points;
}

std::string axes_text(const harness::Axes& axes, std::string_view without = {}) {
    std::string text;
    for (const auto& [name, value] : axes)
        if (name != without) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
    return text;
}

/// The axis with the most values; empty when none has two.
std::string widest_axis(const Points& points) {
    std::map<std::string, std::set<std::int64_t>> values;
    for (const auto* point : points)
        for (const auto& [name, value] : point->axes)
            values[name].insert(value);
    std::string widest;
    std::size_t most = 1;
    for (const auto& [name, of_name] : values)
        if (of_name.size() > most) {
            most = of_name.size();
            widest = name;
        }
    return widest;
}

/// Points that differ in `axis` only, by the values of the others, in order of `axis`.
std::vector<std::pair<std::string, Points>> lines_along(const Points& points,
                                                        const std::string& axis) {
    std::vector<std::pair<std::string, Points>> lines;
    for (const auto* point : points) {
        const std::string others = axes_text(point->axes, axis);
        auto line = std::find_if(lines.begin(), lines.end(),
                                 [&](const auto& known) { return known.first == others; });
        if (line == lines.end()) line = lines.insert(lines.end(), {others, {}});
        line->second.push_back(point);
    }
    for (auto& [others, line] : lines)
        std::stable_sort(line.begin(), line.end(), [&](const auto* a, const auto* b) {
            return axis_value(a->axes, axis, 0) < axis_value(b->axes, axis, 0);
        });
    return lines;
}

/// "mean" of "warps 4": "warps 4, mean".
std::string line_name(const std::string& others, std::string_view what) {
    return others.empty() ? std::string{what} : fmt::format("{}, {}", others, what);
}

std::string times_figure(const CampaignGroup& group, const Points& points) {
    const std::string axis = widest_axis(points);
    if (axis.empty()) return {};
    auto lines = lines_along(points, axis);
    const std::size_t left_out = lines.size() > most_lines ? lines.size() - most_lines : 0;
    lines.resize(lines.size() - left_out);
    std::vector<PlotSeries> series;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto& [others, line] = lines[i];
        const auto add = [&](std::string_view what, Stroke stroke, auto value) {
            PlotSeries one{line_name(others, what), {}, i, stroke};
            for (const auto* point : line)
                one.points.emplace_back(static_cast<double>(axis_value(point->axes, axis, 0)),
                                        static_cast<double>(value(*point->summary)));
            series.push_back(std::move(one));
        };
        add("mean", Stroke::Solid, [](const auto& summary) { return summary.mean; });
        const bool varies = std::any_of(line.begin(), line.end(), [](const auto* point) {
            return point->summary->best != point->summary->worst;
        });
        if (!varies) continue;
        add("best", Stroke::Dotted, [](const auto& summary) { return summary.best; });
        add("worst", Stroke::Dashed, [](const auto& summary) { return summary.worst; });
    }
    const std::string what = unit_of(group) == "blocks" ? "Blocks" : "Largest time";
    return figure(line_plot({group.name, fmt::format("{} of each run against {}", what, axis), axis,
                             unit_of(group)},
                            series),
                  fmt::format("{} of each run against {}{}", what, axis,
                              left_out == 0 ? ""
                                            : fmt::format("; {} further combinations are in the "
                                                          "table only",
                                                          left_out)));
}

/// A value of each point against the number of warps.
template <typename Value>
std::string warps_curve(const CampaignGroup& group, const Points& points, const std::string& name,
                        const std::string& unit, const std::string& caption, Value value) {
    PlotSeries series{name, {}, 0, Stroke::Solid};
    for (const auto* point : points)
        series.points.emplace_back(static_cast<double>(axis_value(point->axes, "warps", 1)),
                                   value(*point));
    std::sort(series.points.begin(), series.points.end());
    if (series.points.size() < 2) return {};
    return figure(line_plot({fmt::format("{}: {}", group.name, name), caption, "warps", unit},
                            {std::move(series)}),
                  caption);
}

/// How long a warp takes beside others, as a multiple of what it takes alone.
std::string share_figure(const CampaignGroup& group, const Points& points) {
    const auto alone = std::find_if(points.begin(), points.end(), [](const auto* point) {
        return axis_value(point->axes, "warps", 0) == 1;
    });
    if (alone == points.end() || (*alone)->summary->mean <= 0) return {};
    const double one = (*alone)->summary->mean;
    return warps_curve(group, points, "fu(c)", "time over that of one warp",
                       "Mean time of c warps over that of one (GPUDIAG eq. 3.5, 3.6)",
                       [&](const CampaignPoint& point) { return point.summary->mean / one; });
}

std::string bandwidth_figure(const CampaignGroup& group, const Points& points) {
    const auto bytes = static_cast<double>(group.benchmark->bytes_of_warp);
    return warps_curve(group, points, "bandwidth", "bytes per core cycle",
                       "Bytes of all warps over the mean time", [&](const CampaignPoint& point) {
                           const auto warps =
                               static_cast<double>(axis_value(point.axes, "warps", 1));
                           return bytes * warps / std::max(point.summary->mean, 1.0);
                       });
}

/// Operations per cycle of all warps together, from two numbers of operations a warp.
std::string rate_figure(const CampaignGroup& group, const Points& points) {
    std::vector<std::pair<double, double>> rates;
    std::map<std::int64_t, std::pair<const CampaignPoint*, const CampaignPoint*>> ends;
    for (const auto* point : points) {
        auto& [few, many] = ends[axis_value(point->axes, "warps", 1)];
        const std::int64_t n = axis_value(point->axes, "n", 0);
        if (few == nullptr || n < axis_value(few->axes, "n", 0)) few = point;
        if (many == nullptr || n > axis_value(many->axes, "n", 0)) many = point;
    }
    for (const auto& [warps, pair] : ends) {
        const auto& [few, many] = pair;
        const auto operations = axis_value(many->axes, "n", 0) - axis_value(few->axes, "n", 0);
        const double time = many->summary->mean - few->summary->mean;
        if (operations > 0 && time > 0)
            rates.emplace_back(static_cast<double>(warps),
                               static_cast<double>(warps * operations) / time);
    }
    if (rates.size() < 2) return {};
    const std::string caption = "Operations per cycle of all warps together, from the difference "
                                "between the most and the fewest operations a warp";
    return figure(line_plot({group.name + ": rate", caption, "warps", "operations per core cycle"},
                            {{"rate", std::move(rates), 0, Stroke::Solid}}),
                  caption);
}

std::string residence_figure(const CampaignGroup& group, const Points& points) {
    const std::string axis = widest_axis(points);
    PlotSeries blocks{"N_slot", {}, 0, Stroke::Solid};
    for (const auto* point : points)
        if (const auto usage = axis_value(point->axes, axis, 0); usage > 0)
            blocks.points.emplace_back(1 / static_cast<double>(usage), point->summary->mean);
    if (blocks.points.size() < 2) return {};
    std::sort(blocks.points.begin(), blocks.points.end());
    const std::string caption =
        fmt::format("Blocks that begin before the first one ends, against 1 / {}", axis);
    return figure(
        line_plot({group.name + ": N_slot", caption, "1 / " + axis, "blocks"}, {std::move(blocks)}),
        caption);
}

/// What copies of each size reach, and the line through their times.
std::string copies_figure(const CampaignGroup& group, const Points& points) {
    PlotSeries reached{"reached", {}, 0, Stroke::Solid};
    std::vector<harness::CopyTime> times;
    for (const auto* point : points) {
        const std::int64_t bytes = axis_value(point->axes, "bytes", 0);
        times.push_back({bytes, point->summary->mean});
        reached.points.emplace_back(static_cast<double>(bytes),
                                    static_cast<double>(bytes) /
                                        std::max(point->summary->mean, 1.0));
    }
    const auto line = harness::line_of_copies(times);
    if (!line) return {};
    std::sort(reached.points.begin(), reached.points.end());
    const std::string caption =
        fmt::format("Bytes over the mean time. The line through the means has a start-up of {:.1f} "
                    "core cycles and {:.4f} bytes per core cycle (estimate; furthest off {:.2f} %)",
                    line.value().start, line.value().bandwidth, 100 * line.value().worst_share);
    return figure(line_plot({group.name + ": bandwidth", caption, "bytes", "bytes per core cycle"},
                            {std::move(reached)}),
                  caption);
}

/// Of the point with the most warps.
std::string warps_figure(const CampaignGroup& group, const Points& points) {
    const auto most =
        std::max_element(points.begin(), points.end(), [](const auto* a, const auto* b) {
            return a->warps.size() < b->warps.size();
        });
    if (most == points.end() || (*most)->warps.size() < 2) return {};
    std::vector<PlotSeries> series{{"mean", {}, 0, Stroke::Solid},
                                   {"best", {}, 0, Stroke::Dotted},
                                   {"worst", {}, 0, Stroke::Dashed}};
    const auto& warps = (*most)->warps;
    for (std::size_t warp = 0; warp < warps.size(); ++warp) {
        const auto x = static_cast<double>(warp);
        series[0].points.emplace_back(x, warps[warp].mean);
        series[1].points.emplace_back(x, static_cast<double>(warps[warp].best));
        series[2].points.emplace_back(x, static_cast<double>(warps[warp].worst));
    }
    if (std::all_of(warps.begin(), warps.end(),
                    [](const auto& warp) { return warp.best == warp.worst; }))
        series.resize(1);
    const std::string caption = fmt::format("Times by warp of {}, launch {}",
                                            (*most)->series.key.name, (*most)->series.key.launch);
    return figure(
        line_plot({group.name + ": warps", caption, "warp of the launch", "core cycles"}, series),
        caption);
}

/// Of the point whose times have the most values.
std::string histogram_figure(const CampaignGroup& group, const Points& points) {
    const auto most =
        std::max_element(points.begin(), points.end(), [](const auto* a, const auto* b) {
            return a->summary->distinct < b->summary->distinct;
        });
    if (most == points.end() || (*most)->summary->distinct < 2) return {};
    std::vector<PlotInterval> bars;
    for (const auto& bar : (*most)->histogram)
        bars.push_back({static_cast<double>(bar.lo), static_cast<double>(bar.hi) + 1,
                        static_cast<double>(bar.count)});
    std::string modes;
    for (const auto& mode : (*most)->summary->modes)
        modes += fmt::format("{}{}..{} ({} runs)", modes.empty() ? "" : ", ", mode.lowest,
                             mode.highest, mode.count);
    return figure(
        histogram_plot({group.name + ": runs", "Runs by what they showed", unit_of(group), "runs"},
                       bars),
        fmt::format("{}, launch {}: {} runs by the largest number of each; modes {}",
                    (*most)->series.key.name, (*most)->series.key.launch, (*most)->summary->count,
                    modes));
}

std::string trouble_text(const CampaignPoint& point) {
    std::string text;
    for (const auto& [trouble, runs] : point.troubles)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", runs, to_string(trouble));
    return text;
}

std::string drift_text(const CampaignPoint& point) {
    if (!point.order) return {};
    if (point.summary->distinct == 1) return "constant";
    const auto found = point.order->found();
    return found.empty() ? std::string{to_string(point.order->drift())}
                         : fmt::format("{}", fmt::join(found, ", "));
}

/// What tells a point from the others of its group.
std::string label_of(const CampaignPoint& point) {
    return point.axes.empty() ? "launch " + point.series.key.launch : axes_text(point.axes);
}

std::string table_of(const CampaignGroup& group) {
    std::string rows;
    for (const auto& point : group.points) {
        const auto& summary = point.summary;
        const auto number = [&](auto of) {
            return cell(summary ? fmt::format("{}", of(*summary)) : std::string{}, true);
        };
        rows +=
            "<tr>" + cell(label_of(point)) + cell(std::to_string(point.series.runs), true) +
            number([](const auto& of) { return of.best; }) +
            number([](const auto& of) { return fmt::format("{:.1f}", of.mean); }) +
            cell(point.mean_half_width ? fmt::format("{:.2f} %", 100 * *point.mean_half_width) : "",
                 true) +
            number([](const auto& of) { return of.p99; }) +
            number([](const auto& of) { return of.worst; }) +
            number([](const auto& of) { return of.distinct; }) +
            number([](const auto& of) { return of.modes.size(); }) + cell(drift_text(point)) +
            cell(trouble_text(point)) + "</tr>\n";
    }
    return table(fmt::format("{}; {}", caption_of(group.quantity), group.protocol),
                 {{"point", false},
                  {"runs", true},
                  {"best", true},
                  {"mean", true},
                  {"+/-", true},
                  {"p99", true},
                  {"worst", true},
                  {"values", true},
                  {"modes", true},
                  {"order", false},
                  {"troubles", false}},
                 rows);
}

/// Requires: a benchmark.
std::string picture_of(const CampaignGroup& group, const Points& points) {
    switch (group.benchmark->picture) {
    case harness::Picture::Times:
        break;
    case harness::Picture::IssueRate:
        return rate_figure(group, points);
    case harness::Picture::UnitShare:
        return share_figure(group, points);
    case harness::Picture::Bandwidth:
        return bandwidth_figure(group, points);
    case harness::Picture::Residence:
        return residence_figure(group, points);
    case harness::Picture::Copies:
        return copies_figure(group, points);
    }
    return {};
}

std::string section(const CampaignGroup& group, std::size_t number) {
    std::string out = fmt::format("<h2 id=\"series-{}\">{}</h2>\n", number, escape(group.name));
    if (group.benchmark != nullptr)
        out += fmt::format("<p>{} Expected: {} ({}).</p>\n", escape(group.benchmark->question),
                           escape(group.benchmark->relation), escape(group.benchmark->source));
    out += fmt::format("<p class=\"quiet\">{} ({})</p>\n", escape(group.device),
                       escape(group.device_detail));
    if (group.version > 1)
        out += fmt::format("<p>Recorded again with another kernel or other flow facts; the {}. of "
                           "its kind.</p>\n",
                           group.version);
    const Points points = with_times(group);
    if (!points.empty()) {
        out += times_figure(group, points);
        if (group.benchmark != nullptr) out += picture_of(group, points);
        out += warps_figure(group, points) + histogram_figure(group, points);
    }
    return out + table_of(group);
}

/// What a reader should look at first.
struct Findings {
    std::string wide;
    std::string drifting;
    std::string troubled;
    std::map<std::string, std::vector<std::string>> imprecise; ///< Names of series by the reason.
    std::int64_t untested = 0; ///< Series without a test of their order.
};

/// A series, its device and a way to its section.
std::string item(const CampaignGroup& group, std::size_t number, const CampaignPoint& point,
                 const std::string& text) {
    std::string name = point.series.key.name;
    if (point.axes.empty()) name += fmt::format(" {}", point.series.key.launch);
    return fmt::format("<li><a href=\"#series-{}\">{}</a> ({}, {}): {}</li>\n", number,
                       escape(name), escape(group.device), escape(group.quantity), escape(text));
}

Findings findings_of(const CampaignReport& report) {
    Findings found;
    for (std::size_t i = 0; i < report.groups.size(); ++i)
        for (const auto& point : report.groups[i].points) {
            const auto item_of = [&](const std::string& text) {
                return item(report.groups[i], i, point, text);
            };
            if (!point.mean_half_width)
                found.imprecise[point.mean_undecided].push_back(point.series.key.name);
            else if (*point.mean_half_width > wide)
                found.wide += item_of(fmt::format("mean {:.1f} +/- {:.2f} %", point.summary->mean,
                                                  100 * *point.mean_half_width));
            const auto drift = point.order ? point.order->drift() : harness::Drift::NotDecided;
            if (drift == harness::Drift::Found) found.drifting += item_of(drift_text(point));
            if (drift == harness::Drift::NotDecided) ++found.untested;
            if (!point.troubles.empty())
                found.troubled += item_of(trouble_text(point) + "; " + point.first_trouble);
        }
    return found;
}

/// Series of which nobody knows whether they converged, a line for each reason.
std::string imprecise_items(const Findings& found) {
    std::string items;
    for (const auto& [why, names] : found.imprecise)
        items += fmt::format("<li>Not decided for {} series, {} first: {}</li>\n", names.size(),
                             escape(names.front()), escape(why));
    return items;
}

std::string list(const std::string& id, const std::string& title, const std::string& items,
                 const std::string& otherwise) {
    return fmt::format("<h2 id=\"{}\">{}</h2>\n", id, title) +
           (items.empty() ? "<p>" + otherwise + "</p>\n" : "<ul>\n" + items + "</ul>\n");
}

std::string conditions(const CampaignReport& report) {
    std::set<std::array<std::string, 3>> seen; // Device, its detail, condition.
    std::string rows;
    for (const auto& group : report.groups)
        for (const auto& point : group.points)
            for (const auto& noted : point.conditions)
                for (const auto& [name, value] : noted.conditions)
                    if (seen.insert({group.device, group.device_detail, name + "=" + value}).second)
                        rows += "<tr>" + cell(group.device) + cell(name) + cell(value) +
                                cell(fmt::format("{}, run {}", point.series.key.name,
                                                 noted.first_run)) +
                                "</tr>\n";
    if (rows.empty())
        return "<h2 id=\"conditions\">State of the devices</h2>\n<p>None recorded. A simulated "
               "device has no state but its description.</p>\n";
    return "<h2 id=\"conditions\">State of the devices</h2>\n" +
           table("Noted whenever a process began to record; each value with the first place where "
                 "it was seen",
                 {{"device", false}, {"condition", false}, {"value", false}, {"first seen", false}},
                 rows);
}

std::string summary(const CampaignReport& report) {
    std::int64_t series = 0;
    std::int64_t runs = 0;
    std::set<std::string> devices;
    std::set<std::string> names;
    for (const auto& group : report.groups) {
        devices.insert(group.device);
        names.insert(group.name);
        for (const auto& point : group.points) {
            ++series;
            runs += point.series.runs;
        }
    }
    return fmt::format("<h1>Campaign {}</h1>\n<p class=\"quiet\">{}</p>\n<div "
                       "class=\"summary\">\n",
                       escape(report.file), escape(fmt::format("{}", fmt::join(devices, ", ")))) +
           card(std::to_string(runs), "runs, each of them kept") +
           card(std::to_string(series), "series") +
           card(std::to_string(names.size()), "benchmarks and kernels") + "</div>\n";
}

} // namespace

std::string render_html(const CampaignReport& report) {
    const Findings found = findings_of(report);
    std::string body = summary(report);
    body += list("converged", "Not converged", found.wide + imprecise_items(found),
                 "Of every series the 95 % interval of the mean is within 1 % of it.");
    body += list("drift", "Times that depend on their order", found.drifting,
                 fmt::format("No test of the runs' order found anything (corrected for their "
                             "number, 1 %); {} series are constant or too short for a test.",
                             found.untested));
    body += list("troubles", "What happened to runs", found.troubled,
                 "Every run gave times without trouble.");
    for (std::size_t i = 0; i < report.groups.size(); ++i)
        body += section(report.groups[i], i);
    body += conditions(report);
    body +=
        "<h2 id=\"glossary\">Glossary</h2>\n<dl>\n"
        "<dt>best, mean, worst</dt><dd>Observed; no bounds. Of a launch the largest time of its "
        "warps; of clocks the last read since the first of the launch. No run is left out but "
        "those that gave no time, or were of another code.</dd>\n"
        "<dt>+/-</dt><dd>Half of the 95 % bootstrap interval of the mean.</dd>\n"
        "<dt>order</dt><dd>Tests in run order that found something: runs about the median, "
        "Ljung-Box, first half against second, members of a mode that stand together; p-values "
        "corrected for the number of all tests (Holm).</dd>\n</dl>\n";
    body += fmt::format("<p class=\"quiet\">warpbound {}.</p>\n", escape(report.tool_version));
    return page("Campaign " + report.file, body);
}

} // namespace warpbound::certification
