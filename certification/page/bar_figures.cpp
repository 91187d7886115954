/// \file
/// Figures made of horizontal bars: the times of policies and the CPI stack.
#include "certification/page/axis.hpp"
#include "certification/page/chart.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification {

namespace {

constexpr double least_labelled = 40; ///< Width of a part that holds its percentage.

} // namespace

std::string ranges_figure(const RangesText& text, const std::vector<RangeRow>& rows,
                          const std::optional<models::ClockRange>& clock, FigureSize size) {
    if (rows.empty()) return {};
    const bool narrow = size == FigureSize::Narrow;
    // Labels stand to the left of the rows; in a narrow drawing, above them.
    const double row = narrow ? 46 : 34;
    Canvas canvas = canvas_of(size);
    canvas.left = narrow ? 10 : 250;
    double highest = 0;
    for (const RangeRow& range : rows)
        highest = std::max({highest, range.worst, range.bounds ? range.bounds->second : 0.0});
    const Axis axis{0, 1.03 * (highest > 0 ? highest : 1), canvas};
    const double base = 12 + row * static_cast<double>(rows.size());
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" aria-label=\"{2}\"><title>{2}</title><desc>"
        "A row per {3}: bounds as a line with ends, the observed range as a bar, its mean as a "
        "mark, on one axis: {4}. The table below holds the same numbers.</desc>\n",
        canvas.width, base + axis_height(clock), escape(text.title), escape(text.row),
        escape(text.axis));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const RangeRow& range = rows[i];
        const double y = 12 + row * static_cast<double>(i) + (narrow ? 32 : row / 2);
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                           narrow ? canvas.left : canvas.left - 10, narrow ? y - 15 : y + 5,
                           narrow ? "start" : "end", escape(range.label));
        out += fmt::format("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                           "height=\"14\"/>\n",
                           axis.x(range.best), y - 7,
                           std::max(2.0, axis.x(range.worst) - axis.x(range.best)));
        out += fmt::format("<line class=\"mean\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" "
                           "y2=\"{2:.1f}\"/>\n",
                           axis.x(range.mean), y - 10, y + 10);
        if (!range.bounds) continue;
        for (const double end : {range.bounds->first, range.bounds->second})
            out += fmt::format("<line class=\"bound\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" "
                               "x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>\n",
                               axis.x(end), y - 8, y + 8);
        out += fmt::format("<line class=\"bound\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" "
                           "y2=\"{1:.1f}\"/>\n",
                           axis.x(range.bounds->first), y, axis.x(range.bounds->second));
    }
    return out + drawn_axis(axis, base, text.axis, clock, text.least_step) + "</svg>\n";
}

std::string stack_class(std::size_t position) {
    return fmt::format("part{}", position % 8);
}

std::string stack_figure(const Report& report, FigureSize size) {
    const std::int64_t total = stack_total(report);
    if (total <= 0) return {};
    const Canvas canvas = canvas_of(size);
    const double left = size == FigureSize::Narrow ? 8 : canvas.left;
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {} 90\" role=\"img\" aria-label=\"Where the cycles of the worst-case "
        "path go\"><title>Where the cycles of the worst-case path go</title><desc>One bar of {} "
        "core cycles, split by cause of the wait. The table below holds the same numbers.</desc>\n",
        canvas.width, total);
    double x = left;
    for (std::size_t i = 0; i < report.stack.size(); ++i) {
        const double share =
            static_cast<double>(report.stack[i].second) / static_cast<double>(total);
        const double length = share * (canvas.right - left);
        if (length <= 0) continue;
        out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"10\" width=\"{:.1f}\" "
                           "height=\"36\"><title>{}: {}</title></rect>\n",
                           stack_class(i), x, length, escape(report.stack[i].first),
                           report.stack[i].second);
        if (length > least_labelled)
            out += fmt::format("<text class=\"inside\" x=\"{:.1f}\" y=\"33\" "
                               "text-anchor=\"middle\">{:.0f} %</text>\n",
                               x + length / 2, 100 * share);
        x += length;
    }
    out += fmt::format(
        "<text class=\"tick\" x=\"{0}\" y=\"66\">0</text><text class=\"tick\" x=\"{1}\" y=\"66\" "
        "text-anchor=\"end\">{2}</text><text class=\"tick axis-label\" x=\"{3}\" y=\"82\" "
        "text-anchor=\"middle\">"
        "cycles of the worst-case path</text>\n</svg>\n",
        left, canvas.right, total, (left + canvas.right) / 2);
    return out;
}

} // namespace warpbound::certification
