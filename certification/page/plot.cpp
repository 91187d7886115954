#include "certification/page/plot.hpp"

#include "certification/page/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace warpbound::certification {
namespace {

/// Extent of a plot: the legend stands to its right, or below a narrow one.
struct PlotArea {
    double width = 960;
    double left = 90;
    double right = 760;
    double legend_x = 760;
    double legend_y = 50;
    int x_ticks = 6;
};
constexpr PlotArea narrow_area{
    .width = 380, .left = 62, .right = 366, .legend_x = 30, .legend_y = 500, .x_ticks = 3};
constexpr double plot_top = 50;
constexpr double plot_bottom = 440;
constexpr double plot_height_of_page = 500;
constexpr double bar_height = 30;
constexpr double bar_distance = 48;
/// Each has a contrast of at least 3:1 with a white and with a dark page.
constexpr std::array colours{"#1f82c4", "#c9540a", "#0a8a66", "#b85f92",
                             "#9d7400", "#7a5cc7", "#757f8a", "#a0633a"};

std::string_view colour(std::size_t position) {
    return colours.at(position % colours.size());
}

/// A range that is never empty.
struct Range {
    double lo = 0;
    double hi = 1;
};

Range widened(Range range) {
    if (range.hi > range.lo) return range;
    const double margin = std::max(1.0, std::abs(range.lo) / 10);
    return {range.lo - margin, range.hi + margin};
}

double position(double value, const Range& range, double from, double to) {
    return from + (value - range.lo) / (range.hi - range.lo) * (to - from);
}

/// 1, 2 or 5 times a power of ten, `about` so many to the range.
double step_of(const Range& range, int about) {
    const double rough = (range.hi - range.lo) / about;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power) return factor * power;
    return 10 * power;
}

/// Multiples of the step inside the range, at most 14. The loop counts ticks: a step too small to
/// change a value would never reach the end of the range.
std::vector<double> ticks_of(const Range& range, int about = 6) {
    constexpr int most = 14;
    const double step = step_of(range, about);
    const double first = std::ceil(range.lo / step) * step;
    std::vector<double> ticks;
    for (int i = 0; i < most; ++i) {
        const double tick = first + i * step;
        if (tick > range.hi) break;
        if (ticks.empty() || tick > ticks.back()) ticks.push_back(tick);
    }
    return ticks;
}

std::string opening(const PlotText& text, const PlotArea& area, double tall) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\" "
        "aria-label=\"{2}\">\n<title>{2}</title><desc>{3}</desc>\n"
        "<style>text{{font:13px sans-serif;fill:#222}}.axis{{stroke:#888}}.grid{{stroke:#ddd}}"
        "@media(prefers-color-scheme:dark){{text{{fill:#ddd}}.grid{{stroke:#444}}}}</style>\n"
        "<text x=\"{4}\" y=\"24\" font-weight=\"bold\">{2}</text>\n",
        area.width, tall, escape(text.title), escape(text.description), area.left);
}

std::string axis_labels(const PlotText& text, const PlotArea& area, double base) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n"
                       "<text x=\"20\" y=\"{:.1f}\" transform=\"rotate(-90 20 {:.1f})\" "
                       "text-anchor=\"middle\">{}</text>\n",
                       (area.left + area.right) / 2, base + 44, escape(text.x),
                       (plot_top + base) / 2, (plot_top + base) / 2, escape(text.y));
}

std::string frame(const PlotArea& area) {
    return fmt::format("<path class=\"axis\" fill=\"none\" d=\"M{0} {1}V{2}H{3}\"/>\n", area.left,
                       plot_top, plot_bottom, area.right);
}

std::string x_tick(double x, const std::string& label) {
    return fmt::format("<path class=\"grid\" d=\"M{0:.1f} {1}V{2}\"/><text x=\"{0:.1f}\" "
                       "y=\"{3:.1f}\" text-anchor=\"middle\">{4}</text>\n",
                       x, plot_top, plot_bottom, plot_bottom + 20, label);
}

std::string y_tick(const PlotArea& area, double y, const std::string& label) {
    return fmt::format("<path class=\"grid\" d=\"M{0} {1:.1f}H{2}\"/><text x=\"{3:.1f}\" "
                       "y=\"{4:.1f}\" text-anchor=\"end\">{5}</text>\n",
                       area.left, y, area.right, area.left - 8, y + 4, label);
}

std::string linear_ticks(const PlotArea& area, const Range& x, const Range& y) {
    std::string out;
    for (const double tick : ticks_of(x, area.x_ticks))
        out += x_tick(position(tick, x, area.left, area.right), fmt::format("{:.6g}", tick));
    for (const double tick : ticks_of(y))
        out += y_tick(area, position(tick, y, plot_bottom, plot_top), fmt::format("{:.6g}", tick));
    return out;
}

std::string_view dashes(Stroke stroke) {
    switch (stroke) {
    case Stroke::Solid:
        return "none";
    case Stroke::Dashed:
        return "8 4";
    case Stroke::Points:
        return "4 4";
    case Stroke::Dotted:
        break;
    }
    return "2 4";
}

std::string legend_text(const PlotArea& area, std::size_t row, const std::string& name) {
    return fmt::format("<text x=\"{}\" y=\"{:.1f}\">{}</text>\n", area.legend_x + 46,
                       area.legend_y + 11 + 20 * static_cast<double>(row), escape(name));
}

/// A square of each category's colour.
std::string legend(const PlotArea& area, const std::vector<std::string>& names) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out += fmt::format("<rect x=\"{}\" y=\"{:.1f}\" width=\"12\" height=\"12\" "
                           "fill=\"{}\"/>",
                           area.legend_x + 26, area.legend_y + 20 * static_cast<double>(i),
                           colour(i)) +
               legend_text(area, i, names[i]);
    return out;
}

/// A sample of the line of each series.
std::string legend(const PlotArea& area, const std::vector<PlotSeries>& series) {
    std::string out;
    for (std::size_t i = 0; i < series.size(); ++i)
        out += fmt::format("<path stroke=\"{}\" stroke-width=\"3\" stroke-dasharray=\"{}\" "
                           "d=\"M{} {:.1f}h26\"/>",
                           colour(series[i].colour), dashes(series[i].stroke), area.legend_x + 14,
                           area.legend_y + 6 + 20 * static_cast<double>(i)) +
               legend_text(area, i, series[i].name);
    return out;
}

std::string dot(double x, double y, std::size_t series, const std::string& title) {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\" fill=\"{}\" "
                       "fill-opacity=\"0.7\"><title>{}</title></circle>\n",
                       x, y, colour(series), escape(title));
}

} // namespace

std::string line_plot(const PlotText& text, const std::vector<PlotSeries>& series,
                      FigureSize size) {
    const PlotArea area = size == FigureSize::Narrow ? narrow_area : PlotArea{};
    Range x{std::nan(""), std::nan("")};
    Range values = text.from_zero ? Range{0, 0} : x;
    for (const auto& one : series)
        for (const auto& [at, value] : one.points) {
            x = {std::fmin(x.lo, at), std::fmax(x.hi, at)};
            values = {std::fmin(values.lo, value), std::fmax(values.hi, value)};
        }
    x = widened(std::isnan(x.lo) ? Range{} : x);
    const double margin = text.from_zero ? 0 : (values.hi - values.lo) / 20;
    const Range y =
        std::isnan(values.lo)
            ? Range{}
            : widened({values.lo - margin, text.from_zero ? values.hi * 1.05 : values.hi + margin});
    const double legend_end = area.legend_y + 20 * static_cast<double>(series.size());
    std::string out = opening(text, area, std::max(plot_height_of_page, legend_end + 20)) +
                      linear_ticks(area, x, y) + frame(area);
    for (std::size_t i = 0; i < series.size(); ++i) {
        if (series[i].stroke == Stroke::Points || series[i].points.size() == 1) {
            for (const auto& [at, value] : series[i].points)
                out += dot(position(at, x, area.left, area.right),
                           position(value, y, plot_bottom, plot_top), series[i].colour,
                           series[i].name);
            continue;
        }
        std::string path;
        for (const auto& [at, value] : series[i].points)
            path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L",
                                position(at, x, area.left, area.right),
                                position(value, y, plot_bottom, plot_top));
        if (series[i].points.size() > 1)
            out += fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"2\" "
                               "stroke-dasharray=\"{}\" d=\"{}\"/>\n",
                               colour(series[i].colour), dashes(series[i].stroke), path);
    }
    return out + legend(area, series) + axis_labels(text, area, plot_bottom) + "</svg>\n";
}

std::string scatter_plot(const PlotText& text, const std::vector<PlotSeries>& series) {
    const PlotArea area;
    Range decades{std::nan(""), std::nan("")};
    for (const auto& one : series)
        for (const auto& [at, value] : one.points)
            if (at > 0 && value > 0) {
                decades.lo = std::fmin(decades.lo, std::floor(std::log10(std::min(at, value))));
                decades.hi = std::fmax(decades.hi, std::ceil(std::log10(std::max(at, value))));
            }
    decades = widened(std::isnan(decades.lo) ? Range{} : decades);
    std::string out = opening(text, area, plot_height_of_page);
    for (double power = decades.lo; power <= decades.hi; power += 1) {
        const std::string label = fmt::format("{:.6g}", std::pow(10.0, power));
        out += x_tick(position(power, decades, area.left, area.right), label);
        out += y_tick(area, position(power, decades, plot_bottom, plot_top), label);
    }
    out += frame(area);
    out += fmt::format("<path class=\"axis\" stroke-dasharray=\"5 4\" d=\"M{} {}L{} {}\"/>\n",
                       area.left, plot_bottom, area.right, plot_top);
    for (std::size_t i = 0; i < series.size(); ++i)
        for (const auto& [at, value] : series[i].points)
            if (at > 0 && value > 0)
                out += dot(position(std::log10(at), decades, area.left, area.right),
                           position(std::log10(value), decades, plot_bottom, plot_top),
                           series[i].colour,
                           fmt::format("{}: {:.6g}, {:.6g}", series[i].name, at, value));
    return out + legend(area, series) + axis_labels(text, area, plot_bottom) + "</svg>\n";
}

std::string histogram_plot(const PlotText& text, const std::vector<PlotInterval>& bars,
                           FigureSize size) {
    const PlotArea area = size == FigureSize::Narrow ? narrow_area : PlotArea{};
    Range x;
    double highest = 0;
    if (!bars.empty()) x = {bars.front().lo, bars.back().hi};
    for (const auto& bar : bars)
        highest = std::max(highest, bar.height);
    x = widened(x);
    const Range y = widened({0, highest * 1.05});
    std::string out =
        opening(text, area, plot_height_of_page) + linear_ticks(area, x, y) + frame(area);
    for (const auto& bar : bars) {
        if (bar.height <= 0) continue;
        const double from = position(bar.lo, x, area.left, area.right);
        const double over = position(bar.height, y, plot_bottom, plot_top);
        out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
                           "fill=\"{}\"><title>{:.10g}..{:.10g}: {:.10g}</title></rect>\n",
                           from, over,
                           std::max(1.0, position(bar.hi, x, area.left, area.right) - from - 1),
                           plot_bottom - over, colour(0), bar.lo, bar.hi, bar.height);
    }
    return out + axis_labels(text, area, plot_bottom) + "</svg>\n";
}

std::string stack_plot(const PlotText& text, const std::vector<std::string>& categories,
                       const std::vector<PlotBar>& bars) {
    const PlotArea area;
    double longest = 0;
    for (const auto& bar : bars)
        longest = std::max(longest, std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0));
    const Range x = widened({0, 1.1 * longest}); // Space for the sums to the right of the bars.
    const double base = plot_top + bar_distance * static_cast<double>(bars.size()) + 10;
    const double legend_end = plot_top + 20 * static_cast<double>(categories.size());
    std::string out = opening(text, area, std::max(base + 60, legend_end + 20));
    for (std::size_t i = 0; i < bars.size(); ++i) {
        const double y = plot_top + bar_distance * static_cast<double>(i);
        double sum = 0;
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                           area.left - 8, y + bar_height / 2 + 4, escape(bars[i].name));
        for (std::size_t part = 0; part < bars[i].parts.size(); ++part) {
            const double from = position(sum, x, area.left, area.right);
            sum += bars[i].parts[part];
            const double to = position(sum, x, area.left, area.right);
            if (to - from < 0.05) continue;
            out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" "
                               "fill=\"{}\"><title>{}: {:.4g}</title></rect>\n",
                               from, y, to - from, bar_height, colour(part),
                               escape(categories.at(part)), bars[i].parts[part]);
        }
        out +=
            fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{:.4g}</text>\n",
                        position(sum, x, area.left, area.right) + 4, y + bar_height / 2 + 4, sum);
    }
    out += fmt::format("<path class=\"axis\" d=\"M{} {:.1f}H{}\"/>\n", area.left, base, area.right);
    for (const double tick : ticks_of(x))
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.6g}</text>\n",
                           position(tick, x, area.left, area.right), base + 18, tick);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n",
                       (area.left + area.right) / 2, base + 40, escape(text.x));
    return out + legend(area, categories) + "</svg>\n";
}

} // namespace warpbound::certification
