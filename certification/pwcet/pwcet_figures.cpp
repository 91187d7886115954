#include "certification/pwcet/pwcet_figures.hpp"

#include "certification/page/html_parts.hpp"
#include "certification/page/plot.hpp"
#include "certification/pwcet/applicability.hpp"
#include "models/statistics/extremes.hpp"
#include "models/statistics/maximum_likelihood.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace warpbound::certification {

namespace {

constexpr std::size_t most_points = 200; ///< Of a line: a page stays small.

std::string drawn(const PlotText& text, const std::vector<PlotSeries>& series,
                  const std::string& caption) {
    return figure(line_plot(text, series, FigureSize::Wide),
                  line_plot(text, series, FigureSize::Narrow), caption);
}

/// At most `most_points` indices from 0 to count - 1, both ends included.
std::vector<std::size_t> spread(std::size_t count) {
    std::vector<std::size_t> indices;
    const std::size_t points = std::min(count, most_points);
    for (std::size_t i = 0; i < points; ++i)
        indices.push_back(points == 1 ? 0 : i * (count - 1) / (points - 1));
    return indices;
}

std::vector<double> sorted_values(const SeriesPwcet& series) {
    auto values = values_of(series.times);
    std::sort(values.begin(), values.end());
    return values;
}

/// Time against the exceedance probability per run, as powers of ten.
std::string return_level(const SeriesPwcet& series, const PwcetReport& report) {
    const std::string unit = series.times.unit;
    PlotSeries fit{"fit", {}, 0, Stroke::Solid};
    PlotSeries lower{"95 %, lower end", {}, 0, Stroke::Dotted};
    PlotSeries upper{"95 %, upper end", {}, 0, Stroke::Dashed};
    PlotSeries observed{"observed", {}, 1, Stroke::Points};
    const auto values = sorted_values(series);
    const auto n = static_cast<double>(values.size());
    for (const std::size_t i : spread(values.size() / 2)) {
        const std::size_t rank = values.size() - 1 - i;
        observed.points.emplace_back(std::log10(n / (static_cast<double>(i) + 0.5)), values[rank]);
    }
    auto rows = series.rows;
    std::sort(rows.begin(), rows.end(),
              [](const PwcetRow& a, const PwcetRow& b) { return a.probability > b.probability; });
    double last = 0;
    for (const auto& row : rows) {
        const double power = -std::log10(row.probability);
        last = std::max(last, power);
        lower.points.emplace_back(power, row.interval.lo);
        if (row.interval.hi) upper.points.emplace_back(power, *row.interval.hi);
    }
    const double share =
        series.extremes.block > 0 ? 0.5 : static_cast<double>(series.extremes.values.size()) / n;
    const double first = -std::log10(share) + 1e-6;
    for (int i = 0; i <= 60; ++i) {
        const double power = first + (last - first) * i / 60;
        fit.points.emplace_back(
            power,
            models::quantile_per_run(series.fits.front().fit, std::pow(10.0, -power)).value());
    }
    std::vector<PlotSeries> lines{fit, lower, upper, observed};
    if (report.bound)
        lines.push_back({report.bound->kind,
                         {{0, static_cast<double>(report.bound->value)},
                          {last, static_cast<double>(report.bound->value)}},
                         3,
                         Stroke::Solid});
    return drawn({.title = series.times.name + ": return level",
                  .description = "Time against the probability that a run exceeds it",
                  .x = "-log10 of the exceedance probability per run",
                  .y = unit,
                  .from_zero = false},
                 lines,
                 fmt::format("Return level per run: {} with the ends of its 95 % intervals ({}), "
                             "and the upper half of the runs",
                             series.fits.front().name, series.interval_method));
}

std::string variation_figure(const SeriesPwcet& series) {
    const auto& plot = series.variation;
    if (plot.size() < 2) return {};
    PlotSeries cv{"residual CV", {}, 0, Stroke::Solid};
    PlotSeries upper{"95 % band", {}, 1, Stroke::Dashed};
    PlotSeries lower{"lower end", {}, 1, Stroke::Dashed};
    for (const std::size_t i : spread(plot.size())) {
        const auto k = static_cast<double>(plot[i].count);
        const double band = models::variation_band(plot[i].count);
        cv.points.emplace_back(k, plot[i].variation);
        upper.points.emplace_back(k, 1 + band);
        lower.points.emplace_back(k, 1 - band);
    }
    return drawn({.title = series.times.name + ": residual CV",
                  .description = "Standard deviation over mean of the largest excesses",
                  .x = "number of excesses",
                  .y = "CV"},
                 {cv, upper, lower},
                 "Residual coefficient of variation of the k largest excesses. An exponential tail "
                 "has 1; above the band is a heavy tail");
}

std::string mean_excess(const SeriesPwcet& series) {
    const auto values = sorted_values(series);
    PlotSeries line{"mean excess", {}, 0, Stroke::Solid};
    for (const std::size_t i : spread(values.size() / 2)) {
        const std::size_t first = values.size() / 2 + i;
        const auto excesses = models::excesses_over(values, values[first]);
        if (excesses.values.size() < 5) break;
        double sum = 0;
        for (const double excess : excesses.values)
            sum += excess;
        line.points.emplace_back(values[first], sum / static_cast<double>(excesses.values.size()));
    }
    if (line.points.size() < 2) return {};
    return drawn({.title = series.times.name + ": mean excess",
                  .description = "Mean excess over a threshold against the threshold",
                  .x = "threshold, " + series.times.unit,
                  .y = "mean excess, " + series.times.unit},
                 {line},
                 "Mean excess over each threshold from the median on, of at least five runs. "
                 "Level: exponential; falling: an end point; rising: a heavy tail or a second "
                 "mode");
}

std::string stability(const SeriesPwcet& series) {
    PlotSeries shape{"shape", {}, 0, Stroke::Solid};
    PlotSeries upper{"95 % interval", {}, 1, Stroke::Dashed};
    PlotSeries lower{"lower end", {}, 1, Stroke::Dashed};
    const auto values = sorted_values(series);
    std::vector<models::VariationPoint> counts;
    for (const auto& point : series.variation)
        if (point.count >= static_cast<std::size_t>(fewest_excesses)) counts.push_back(point);
    const std::size_t step = std::max<std::size_t>(1, counts.size() / 40);
    for (std::size_t i = 0; i < counts.size(); i += step) {
        const auto excesses = models::largest_excesses(values, counts[i].count);
        const auto lattice = lattice_of(series);
        const auto fit = excesses
                             ? models::fit_pareto_on_lattice(
                                   models::over_half_step(*excesses, lattice).values, lattice.step)
                             : std::nullopt;
        if (!fit) continue;
        const double xi = fit->distribution.shape;
        // The variance of the estimator, (1 + xi)^2 / k (Smith 1985).
        const double half = 1.96 * (1 + xi) / std::sqrt(static_cast<double>(counts[i].count));
        shape.points.emplace_back(counts[i].threshold, xi);
        upper.points.emplace_back(counts[i].threshold, xi + half);
        lower.points.emplace_back(counts[i].threshold, xi - half);
    }
    if (shape.points.size() < 2) return {};
    return drawn({.title = series.times.name + ": shape by threshold",
                  .description = "Shape of the GPD fitted above each threshold",
                  .x = "threshold, " + series.times.unit,
                  .y = "shape",
                  .from_zero = false},
                 {shape, upper, lower},
                 "Shape of the GPD above each threshold, by maximum likelihood. A fit that holds "
                 "has the same shape at every higher threshold; its normal 95 % interval is shown");
}

/// The value of the fitted distribution at a cumulative probability.
double fitted_value(const models::TailFit& fit, double probability) {
    return std::visit(
        [&](const auto& one) {
            if constexpr (requires { one.maxima; })
                return models::value_at(one.maxima, -std::log(probability));
            else
                return one.threshold + models::excess_at(one.excess, -std::log1p(-probability));
        },
        fit);
}

std::string quantiles(const SeriesPwcet& series) {
    PlotSeries points{"runs", {}, 0, Stroke::Points};
    PlotSeries diagonal{"fit", {}, 1, Stroke::Solid};
    const auto& values = series.extremes.values;
    const double offset = series.extremes.block > 0 ? 0 : series.extremes.threshold;
    const auto n = static_cast<double>(values.size());
    for (const std::size_t i : spread(values.size()))
        points.points.emplace_back(
            fitted_value(series.fits.front().fit, (static_cast<double>(i) + 0.5) / n),
            offset + values[i]);
    const double lo = std::min(points.points.front().first, points.points.front().second);
    const double hi = std::max(points.points.back().first, points.points.back().second);
    diagonal.points = {{lo, lo}, {hi, hi}};
    return drawn(
        {.title = series.times.name + ": QQ",
         .description = "Extremes of the runs against the quantiles of the fit",
         .x = "fitted, " + series.times.unit,
         .y = "observed, " + series.times.unit,
         .from_zero = false},
        {points, diagonal},
        fmt::format("Quantiles of {} against the {} that it was fitted to",
                    series.fits.front().name,
                    series.extremes.block > 0 ? "block maxima" : "runs above the threshold"));
}

} // namespace

std::string figures_of(const SeriesPwcet& series, const PwcetReport& report) {
    if (series.figures.distinct < 2) return {};
    if (series.outcome != PwcetOutcome::Estimated)
        return variation_figure(series) + mean_excess(series);
    return return_level(series, report) + quantiles(series) + variation_figure(series) +
           mean_excess(series) + stability(series);
}

} // namespace warpbound::certification
