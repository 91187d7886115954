/// \file
/// The figures of the HTML report.
#include "certification/page/chart.hpp"

#include "certification/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace warpbound::certification {

namespace {

constexpr double width = 960;
constexpr double left = 60;
constexpr double right = 930;
constexpr double plot_height = 160;
constexpr double row_height = 17; ///< Of the labels above the plot.
constexpr double digit_width = 7.4;
constexpr std::int64_t bins = 60; ///< At most.
constexpr std::size_t most_ticks = 14;

/// The range of the axis, in cycles, with a margin; never of zero width.
struct Axis {
    double lo = 0;
    double hi = 1;
    double begin = left; ///< x coordinate of `lo`.

    [[nodiscard]] double x(double value) const {
        return begin + (value - lo) / (hi - lo) * (right - begin);
    }
};

/// A step of 1, 2 or 5 times a power of ten that gives about six ticks.
double tick_step(double range) {
    const double rough = range / 6;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power) return std::max(1.0, factor * power);
    return std::max(1.0, 10 * power);
}

/// A value with a label above the plot.
struct Mark {
    double value = 0;
    std::string label;
    std::string style;
};

std::vector<Mark> marks_of(const Report& report, const std::string& quantity) {
    std::vector<Mark> marks;
    for (const auto side : {analyzer::Side::Lower, analyzer::Side::Upper})
        if (const Claim* claim = report.claim(quantity, side); claim != nullptr)
            marks.push_back({static_cast<double>(claim->value),
                             fmt::format("{} bound {}", side_name(side), claim->value), "bound"});
    for (const auto& estimate : report.estimates)
        if (estimate.quantity == quantity && estimate.unit == "cycles" &&
            estimate.refusal.empty() && std::isfinite(estimate.value))
            marks.push_back(
                {estimate.value,
                 fmt::format("{} {} {:.0f}", estimate.model, estimate.variant, estimate.value),
                 "estimate"});
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Mark& a, const Mark& b) { return a.value < b.value; });
    return marks;
}

Axis axis_of(const std::vector<Mark>& marks, const std::vector<ObservedValue>& observed) {
    double lo = marks.empty() ? static_cast<double>(observed.front().value) : marks.front().value;
    double hi = lo;
    for (const auto& mark : marks) {
        lo = std::min(lo, mark.value);
        hi = std::max(hi, mark.value);
    }
    for (const auto& value : observed) {
        lo = std::min(lo, static_cast<double>(value.value));
        hi = std::max(hi, static_cast<double>(value.value));
    }
    const double margin = std::max(2.0, 0.04 * (hi - lo));
    return {lo - margin, hi + margin, left};
}

/// Vertical layout of a figure, from top to bottom.
struct Layout {
    std::vector<std::size_t> rows; ///< Label row of each mark.
    double top = 0;                ///< Of the highest bar.
    double base = 0;               ///< The axis.
};

/// Whether the label of a mark is drawn to the left of its line.
bool stands_left(const Axis& axis, const Mark& mark) {
    return axis.x(mark.value) + digit_width * static_cast<double>(mark.label.size()) > right + 20;
}

/// Labels in rows above the plot, each row used again only where it is free.
Layout layout_of(const Axis& axis, const std::vector<Mark>& marks) {
    Layout layout;
    std::vector<std::vector<std::pair<double, double>>> taken;
    for (const auto& mark : marks) {
        const double x = axis.x(mark.value);
        const double length = digit_width * static_cast<double>(mark.label.size()) + 10;
        const double begin = stands_left(axis, mark) ? x - length : x;
        const auto is_free = [&](const auto& row) {
            return std::none_of(row.begin(), row.end(), [&](const auto& label) {
                return begin < label.second && label.first < begin + length;
            });
        };
        const auto row = std::find_if(taken.begin(), taken.end(), is_free);
        layout.rows.push_back(static_cast<std::size_t>(row - taken.begin()));
        if (row == taken.end()) taken.emplace_back();
        taken[layout.rows.back()].emplace_back(begin, begin + length);
    }
    layout.top = 14 + row_height * static_cast<double>(taken.size());
    layout.base = layout.top + plot_height;
    return layout;
}

std::string ticks(const Axis& axis, double base) {
    std::string out;
    const double step = tick_step(axis.hi - axis.lo);
    const double first = std::ceil(axis.lo / step) * step;
    for (std::size_t i = 0; i < most_ticks; ++i) {
        const double value = first + static_cast<double>(i) * step;
        if (value > axis.hi) break;
        out += fmt::format(
            "<line class=\"axis\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>"
            "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3:.1f}\" "
            "text-anchor=\"middle\">{4:.0f}</text>\n",
            axis.x(value), base, base + 6, base + 22, value + 0.0);
    }
    return out;
}

/// Bins have a whole number of cycles, so that a bar is centred on the values it counts.
std::string bars(const Axis& axis, const Layout& layout,
                 const std::vector<ObservedValue>& observed) {
    if (observed.empty()) return {};
    const auto start = static_cast<std::int64_t>(std::ceil(axis.lo));
    const auto range = static_cast<std::int64_t>(axis.hi - axis.lo) + 1;
    const std::int64_t bin_width = (range + bins - 1) / bins;
    std::map<std::int64_t, std::int64_t> heights;
    for (const auto& [value, count] : observed)
        heights[(value - start) / bin_width] += count;
    std::int64_t highest = 1;
    for (const auto& [bin, count] : heights)
        highest = std::max(highest, count);
    const double cycle = axis.x(axis.lo + 1) - axis.x(axis.lo);
    const double bar = std::max(2.0, std::min(40.0, cycle * static_cast<double>(bin_width) - 1));
    std::string out;
    for (const auto& [bin, count] : heights) {
        const double middle =
            static_cast<double>(start + bin * bin_width) + static_cast<double>(bin_width - 1) / 2;
        const double height =
            std::max(2.0, (layout.base - layout.top) * static_cast<double>(count) /
                              static_cast<double>(highest));
        out += fmt::format("<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                           "height=\"{:.1f}\"/>\n",
                           axis.x(middle) - bar / 2, layout.base - height, bar, height);
    }
    out += fmt::format(
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"{1:.1f}\" text-anchor=\"end\">{2}</text>"
        "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"end\">0</text>"
        "<text class=\"tick\" x=\"16\" y=\"{4:.1f}\" transform=\"rotate(-90 16 {4:.1f})\" "
        "text-anchor=\"middle\">observations</text>\n",
        left - 6, layout.top + 10, highest, layout.base + 4, (layout.top + layout.base) / 2);
    return out;
}

std::string mark_lines(const Axis& axis, const Layout& layout, const std::vector<Mark>& marks) {
    std::string lines;
    std::string labels;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const Mark& mark = marks[i];
        const double x = axis.x(mark.value);
        const double y = 16 + row_height * static_cast<double>(layout.rows[i]);
        const bool leftward = stands_left(axis, mark);
        lines += fmt::format(
            "<line class=\"{0}\" x1=\"{1:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{3:.1f}\"/>\n",
            mark.style, x, y - 11, layout.base);
        labels += fmt::format("<text class=\"{}-label\" x=\"{:.1f}\" y=\"{:.1f}\" "
                              "text-anchor=\"{}\">{}</text>\n",
                              mark.style, leftward ? x - 5 : x + 5, y, leftward ? "end" : "start",
                              escape(mark.label));
    }
    return lines + labels;
}

} // namespace

std::string escape(const std::string& text) {
    std::string out;
    for (const char c : printable(text)) {
        switch (c) {
        case '&':
            out += "&amp;";
            break;
        case '<':
            out += "&lt;";
            break;
        case '>':
            out += "&gt;";
            break;
        case '"':
            out += "&quot;";
            break;
        case '\'':
            out += "&#39;";
            break;
        default:
            out += c;
        }
    }
    return out;
}

std::string envelope_figure(const Report& report, const std::string& quantity) {
    const auto marks = marks_of(report, quantity);
    std::vector<ObservedValue> observed;
    for (const auto& times : report.observations)
        if (times.quantity == quantity)
            observed.insert(observed.end(), times.values.begin(), times.values.end());
    if (marks.empty() && observed.empty()) return {};
    const Axis axis = axis_of(marks, observed);
    const Layout layout = layout_of(axis, marks);
    const std::string name = quantity_phrase(quantity);
    const std::string title = escape(fmt::format("Envelope of the {} of {}", name, report.kernel));
    std::string out =
        fmt::format("<svg viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" "
                    "aria-label=\"{2}\"><title>{2}</title><desc>Bounds (solid) and estimates "
                    "(dashed) as vertical lines{3}, on one axis in core cycles. The table below "
                    "holds the same numbers.</desc>\n",
                    width, layout.base + 56, title,
                    observed.empty() ? "" : " over a histogram of the observed times");
    out += bars(axis, layout, observed);
    out +=
        fmt::format("<line class=\"axis\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/>\n",
                    left, layout.base, right);
    out += ticks(axis, layout.base) + mark_lines(axis, layout, marks);
    out += fmt::format("<text class=\"tick axis-label\" x=\"{}\" y=\"{:.1f}\" "
                       "text-anchor=\"middle\">{} in cycles</text>\n</svg>\n",
                       (left + right) / 2, layout.base + 46, escape(name));
    return out;
}

std::string ranges_figure(const std::string& title, const std::vector<RangeRow>& rows) {
    if (rows.empty()) return {};
    constexpr double labels = 250;
    constexpr double row = 34;
    double highest = 1;
    for (const RangeRow& range : rows)
        highest = std::max({highest, range.worst, range.bounds ? range.bounds->second : 0.0});
    const Axis axis{0, 1.03 * highest, labels};
    const double base = 12 + row * static_cast<double>(rows.size());
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" aria-label=\"{2}\"><title>{2}</title><desc>"
        "A row per policy: bounds as a line with ends, the observed range as a bar, its mean as a "
        "mark, on one axis in core cycles. The table below holds the same numbers.</desc>\n",
        width, base + 52, escape(title));
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const RangeRow& range = rows[i];
        const double y = 12 + row * static_cast<double>(i) + row / 2;
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                           labels - 10, y + 5, escape(range.label));
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
    out += fmt::format(
        "<line class=\"axis\" x1=\"{0}\" y1=\"{1:.1f}\" x2=\"{2}\" y2=\"{1:.1f}\"/>\n{3}"
        "<text class=\"tick axis-label\" x=\"{4}\" y=\"{5:.1f}\" "
        "text-anchor=\"middle\">execution time in cycles</text>\n</svg>\n",
        labels, base, right, ticks(axis, base), (labels + right) / 2, base + 44);
    return out;
}

std::string stack_class(std::size_t position) {
    return fmt::format("part{}", position % 8);
}

std::string stack_figure(const Report& report) {
    const std::int64_t total = stack_total(report);
    if (total <= 0) return {};
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {} 90\" role=\"img\" aria-label=\"Where the cycles of the worst-case "
        "path go\"><title>Where the cycles of the worst-case path go</title><desc>One bar of {} "
        "core cycles, split by cause of the wait. The table below holds the same numbers.</desc>\n",
        width, total);
    double x = left;
    for (std::size_t i = 0; i < report.stack.size(); ++i) {
        const double share =
            static_cast<double>(report.stack[i].second) / static_cast<double>(total);
        const double length = share * (right - left);
        if (length <= 0) continue;
        out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"10\" width=\"{:.1f}\" "
                           "height=\"36\"><title>{}: {}</title></rect>\n",
                           stack_class(i), x, length, escape(report.stack[i].first),
                           report.stack[i].second);
        if (share > 0.06)
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
        left, right, total, (left + right) / 2);
    return out;
}

} // namespace warpbound::certification
