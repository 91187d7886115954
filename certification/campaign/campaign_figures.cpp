#include "certification/campaign/campaign_figures.hpp"

#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"
#include "certification/page/plot.hpp"
#include "harness/protocol/copy_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::certification {

namespace {

using harness::axis_value;
using Points = std::vector<const CampaignPoint*>;

constexpr std::size_t most_lines = 8;

/// The plot for a wide window and for a narrow one.
std::string lines_figure(const PlotText& text, const std::vector<PlotSeries>& series,
                         const std::string& caption) {
    return figure(line_plot(text, series), line_plot(text, series, FigureSize::Narrow), caption);
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

/// The axis with the most values; empty when no axis has two.
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

/// Lines of points that differ in `axis` only, in order of `axis`, by the text of the other axes.
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

/// "warps 4, mean" from "warps 4" and "mean".
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
    return lines_figure(
        {group.name, fmt::format("{} of each run against {}", what, axis), axis, unit_of(group)},
        series,
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
    return lines_figure({fmt::format("{}: {}", group.name, name), caption, "warps", unit},
                        {std::move(series)}, caption);
}

/// Time of c warps relative to that of one warp.
std::string share_figure(const CampaignGroup& group, const Points& points) {
    const auto single = std::find_if(points.begin(), points.end(), [](const auto* point) {
        return axis_value(point->axes, "warps", 0) == 1;
    });
    if (single == points.end() || (*single)->summary->mean <= 0) return {};
    const double one = (*single)->summary->mean;
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

/// Operations per cycle of all warps, from two numbers of operations per warp.
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
    const std::string caption =
        "Operations per cycle of all warps, from the difference between the "
        "most and the fewest operations per warp";
    return lines_figure({group.name + ": rate", caption, "warps", "operations per core cycle"},
                        {{"rate", std::move(rates), 0, Stroke::Solid}}, caption);
}

std::string residency_figure(const CampaignGroup& group, const Points& points) {
    if (group.quantity != to_string(harness::Quantity::ResidentBlocks)) return {};
    const std::string axis = widest_axis(points);
    PlotSeries blocks{"N_slot", {}, 0, Stroke::Solid};
    for (const auto* point : points)
        if (const auto usage = axis_value(point->axes, axis, 0); usage > 0)
            blocks.points.emplace_back(1 / static_cast<double>(usage), point->summary->mean);
    if (blocks.points.size() < 2) return {};
    std::sort(blocks.points.begin(), blocks.points.end());
    const std::string caption =
        fmt::format("Co-resident blocks (blocks that begin before the first one ends), against 1 / "
                    "{}",
                    axis);
    return lines_figure({group.name + ": N_slot", caption, "1 / " + axis, "blocks"},
                        {std::move(blocks)}, caption);
}

/// Reached bandwidth of copies by size, and the line fitted to their times.
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
        fmt::format("Bytes over the mean time. The line fitted to the means has a start-up of "
                    "{:.1f} core cycles and {:.4f} bytes per core cycle (estimate; largest "
                    "deviation {:.2f} %)",
                    line.value().start, line.value().bandwidth, 100 * line.value().worst_share);
    return lines_figure({group.name + ": bandwidth", caption, "bytes", "bytes per core cycle"},
                        {std::move(reached)}, caption);
}

/// Times by warp, of the point with the most warps.
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
    return lines_figure({group.name + ": warps", caption, "warp of the launch", "core cycles"},
                        series, caption);
}

/// Histogram of the runs, of the point with the most distinct times.
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
    const PlotText text{group.name + ": runs", "Runs by result", unit_of(group), "runs"};
    return figure(histogram_plot(text, bars), histogram_plot(text, bars, FigureSize::Narrow),
                  fmt::format("{}, launch {}: {} runs by the largest value of each run; modes {}",
                              (*most)->series.key.name, (*most)->series.key.launch,
                              (*most)->summary->count, modes));
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
    case harness::Picture::Residency:
        return residency_figure(group, points);
    case harness::Picture::Copies:
        return copies_figure(group, points);
    }
    return {};
}

} // namespace

std::string axes_text(const harness::Axes& axes, std::string_view without) {
    std::string text;
    for (const auto& [name, value] : axes)
        if (name != without) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, value);
    return text;
}

std::string figures_of(const CampaignGroup& group) {
    const Points points = with_times(group);
    if (points.empty()) return {};
    std::string figures = times_figure(group, points);
    if (group.benchmark != nullptr) figures += picture_of(group, points);
    return figures + warps_figure(group, points) + histogram_figure(group, points);
}

} // namespace warpbound::certification
