#include "certification/pipeline/exceedance_figure.hpp"

#include "certification/page/plot.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace warpbound::certification {

namespace {

using Points = std::vector<std::pair<double, double>>;

struct TimeScale {
    double nanoseconds;
    std::string unit;
};
TimeScale scale_of(std::int64_t longest) {
    constexpr std::int64_t millisecond = 1'000'000;
    if (longest >= millisecond) return {1e6, "ms"};
    return {1e3, "\u00b5s"};
}

/// Steps down at the upper end of each class, and ends where one job was slower.
Points curve(const harness::ObservedPipeline& seen, double scale) {
    const auto count = static_cast<double>(seen.latency.count);
    Points points{{static_cast<double>(seen.latency.best) / scale, 0}};
    std::int64_t slower = seen.latency.count;
    for (auto at = seen.latencies.begin(); at != seen.latencies.end(); ++at) {
        const auto next = std::next(at);
        const std::int64_t end = next == seen.latencies.end() ? seen.latency.worst : next->first;
        const double time = static_cast<double>(std::min(end, seen.latency.worst)) / scale;
        points.emplace_back(time, points.back().second);
        slower -= at->second;
        if (slower > 0) points.emplace_back(time, std::log10(static_cast<double>(slower) / count));
    }
    return points;
}

} // namespace

std::string exceedance_figure(const PipelineReport& report, std::size_t pipeline, FigureSize size) {
    const auto& seen = report.observed[pipeline];
    const auto& of = report.system.pipelines[pipeline];
    const auto& upper = report.together.pipelines[pipeline].upper;
    const TimeScale scale = scale_of(upper.value_or(seen.latency.worst));
    std::vector<PlotSeries> series{
        {"simulated jobs", curve(seen, scale.nanoseconds), 0, Stroke::Solid}};
    const double lowest = std::min(-1.0, series.front().points.back().second);
    const auto mark = [&](const std::string& name, std::int64_t time, std::size_t colour,
                          Stroke stroke) {
        const double at = static_cast<double>(time) / scale.nanoseconds;
        series.push_back({name, {{at, 0}, {at, lowest}}, colour, stroke});
    };
    if (upper) mark("upper bound", *upper, 1, Stroke::Solid);
    if (of.deadline) mark("deadline", of.deadline->count(), 2, Stroke::Dashed);
    return line_plot({.title = of.name + ": simulated latencies",
                      .description = "Share of the simulated jobs that took longer than a time, as "
                                     "a power of ten, with the upper bound and the deadline.",
                      .x = "latency [" + scale.unit + "]",
                      .y = "share of jobs that took longer, power of ten"},
                     series, size);
}

} // namespace warpbound::certification
