/// \file
/// The envelope of a quantity.
#include "certification/page/chart.hpp"

#include "certification/page/axis.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace warpbound::certification {

namespace {

constexpr double plot_height = 160;
constexpr double row_height = 17; ///< Of the labels above the plot.
constexpr double digit_width = 7.4;
constexpr std::int64_t wide_bins = 60; ///< At most.
constexpr std::int64_t narrow_bins = 30;
constexpr double far = 3; ///< A deadline beyond so many times the largest value is not on the axis.

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
    return marks;
}

std::optional<models::ClockRange> clock_range(const Report& report) {
    return report.clock ? std::optional{report.clock->range} : std::nullopt;
}

/// The cycles that end by the deadline at a frequency. `Unit:` core cycles.
double deadline_cycles(const models::Deadline& deadline, std::int64_t hertz) {
    if (const auto* cycles = std::get_if<models::Cycles>(&deadline.limit))
        return static_cast<double>(cycles->count());
    return static_cast<double>(std::get<models::Nanoseconds>(deadline.limit).count()) *
           static_cast<double>(hertz) / 1e9;
}

/// The deadline at the lowest clock, against which the upper bound counts, and at the highest.
std::vector<Mark> deadline_marks(const Report& report, const std::string& quantity) {
    if (!report.deadline || quantity != "execution-time") return {};
    const std::string name = "deadline " + models::to_string(*report.deadline);
    if (!report.deadline->is_time() || report.clock->range.is_exact())
        return {{deadline_cycles(*report.deadline, report.clock ? report.clock->range.lo : 1), name,
                 "deadline"}};
    const auto at = [&](std::int64_t hertz) {
        return Mark{
            deadline_cycles(*report.deadline, hertz),
            fmt::format("{} at {}", name, models::to_string(models::ClockRange{hertz, hertz})),
            "deadline"};
    };
    return {at(report.clock->range.lo), at(report.clock->range.hi)};
}

/// Adds the deadlines that the axis can show, and gives a sentence about those far to the right.
std::string add_deadlines(const Report& report, const std::string& quantity,
                          const std::vector<ObservedValue>& observed, std::vector<Mark>& marks) {
    double highest = 0;
    for (const auto& mark : marks)
        highest = std::max(highest, mark.value);
    for (const auto& value : observed)
        highest = std::max(highest, static_cast<double>(value.value));
    std::string beyond;
    for (auto& mark : deadline_marks(report, quantity)) {
        if (mark.value <= far * highest)
            marks.push_back(std::move(mark));
        else if (beyond.empty())
            beyond = mark.label;
    }
    std::stable_sort(marks.begin(), marks.end(),
                     [](const Mark& a, const Mark& b) { return a.value < b.value; });
    return beyond;
}

Axis axis_of(const std::vector<Mark>& marks, const std::vector<ObservedValue>& observed,
             FigureSize size) {
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
    return {lo - margin, hi + margin, canvas_of(size)};
}

/// Vertical layout of a figure, from top to bottom.
struct Layout {
    std::vector<std::size_t> rows; ///< Label row of each mark.
    double top = 0;                ///< Of the highest bar.
    double base = 0;               ///< The axis.
};

/// Where the label of a mark stands: to the right of its line, else to its left, else as far right
/// as the drawing allows.
struct LabelSpan {
    double begin = 0;
    double end = 0;
    double anchor = 0; ///< x coordinate of the text.
    bool ends_there = false;
};
LabelSpan label_span(const Axis& axis, const Mark& mark) {
    const double x = axis.x(mark.value);
    const double length = digit_width * static_cast<double>(mark.label.size()) + 10;
    if (x + length <= axis.canvas.width) return {x, x + length, x + 5, false};
    if (x >= length) return {x - length, x, x - 5, true};
    return {axis.canvas.width - length, axis.canvas.width, axis.canvas.width - 4, true};
}

/// Labels in rows above the plot, each row used again only where it is free.
Layout layout_of(const Axis& axis, const std::vector<Mark>& marks) {
    Layout layout;
    std::vector<std::vector<std::pair<double, double>>> taken;
    for (const auto& mark : marks) {
        const LabelSpan span = label_span(axis, mark);
        const auto is_free = [&](const auto& row) {
            return std::none_of(row.begin(), row.end(), [&](const auto& label) {
                return span.begin < label.second && label.first < span.end;
            });
        };
        const auto row = std::find_if(taken.begin(), taken.end(), is_free);
        layout.rows.push_back(static_cast<std::size_t>(row - taken.begin()));
        if (row == taken.end()) taken.emplace_back();
        taken[layout.rows.back()].emplace_back(span.begin, span.end);
    }
    layout.top = 14 + row_height * static_cast<double>(taken.size());
    layout.base = layout.top + plot_height;
    return layout;
}

/// Bins have a whole number of cycles, so that a bar is centred on the values it counts.
std::string bars(const Axis& axis, const Layout& layout,
                 const std::vector<ObservedValue>& observed) {
    if (observed.empty()) return {};
    const auto start = static_cast<std::int64_t>(std::ceil(axis.lo));
    const auto range = static_cast<std::int64_t>(axis.hi - axis.lo) + 1;
    const std::int64_t bins = axis.canvas.width < Canvas{}.width ? narrow_bins : wide_bins;
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
        "<text class=\"tick\" x=\"14\" y=\"{4:.1f}\" transform=\"rotate(-90 14 {4:.1f})\" "
        "text-anchor=\"middle\">observations</text>\n",
        axis.canvas.left - 6, layout.top + 10, highest, layout.base + 4,
        (layout.top + layout.base) / 2);
    return out;
}

std::string mark_lines(const Axis& axis, const Layout& layout, const std::vector<Mark>& marks) {
    std::string lines;
    std::string labels;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const Mark& mark = marks[i];
        const double x = axis.x(mark.value);
        const double y = 16 + row_height * static_cast<double>(layout.rows[i]);
        const LabelSpan span = label_span(axis, mark);
        lines += fmt::format(
            "<line class=\"{0}\" x1=\"{1:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{3:.1f}\"/>\n",
            mark.style, x, y - 11, layout.base);
        labels += fmt::format("<text class=\"{}-label\" x=\"{:.1f}\" y=\"{:.1f}\" "
                              "text-anchor=\"{}\">{}</text>\n",
                              mark.style, span.anchor, y, span.ends_there ? "end" : "start",
                              escape(mark.label));
    }
    return lines + labels;
}

} // namespace

std::string envelope_figure(const Report& report, const std::string& quantity, FigureSize size) {
    auto marks = marks_of(report, quantity);
    std::vector<ObservedValue> observed;
    for (const auto& times : report.observations)
        if (times.quantity == quantity)
            observed.insert(observed.end(), times.values.begin(), times.values.end());
    if (marks.empty() && observed.empty()) return {};
    const std::string beyond = add_deadlines(report, quantity, observed, marks);
    const Axis axis = axis_of(marks, observed, size);
    const Layout layout = layout_of(axis, marks);
    const auto clock = clock_range(report);
    const std::string name = quantity_phrase(quantity);
    const std::string title = escape(fmt::format("Envelope of the {} of {}", name, report.kernel));
    std::string out =
        fmt::format("<svg viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" "
                    "aria-label=\"{2}\"><title>{2}</title><desc>Bounds (solid), estimates "
                    "(dashed) and the deadline (dotted) as vertical lines{3}, on one axis in core "
                    "cycles. The table below holds the same numbers.</desc>\n",
                    axis.canvas.width, layout.base + axis_height(clock), title,
                    observed.empty() ? "" : " over a histogram of the observed times");
    out += bars(axis, layout, observed);
    out += drawn_axis(axis, layout.base, name + " in cycles", clock);
    out += mark_lines(axis, layout, marks);
    if (!beyond.empty())
        out += fmt::format("<text class=\"deadline-label\" x=\"{:.1f}\" y=\"{:.1f}\" "
                           "text-anchor=\"end\">{} &#8594;</text>\n",
                           axis.canvas.right, layout.base - 8, escape(beyond));
    return out + "</svg>\n";
}

} // namespace warpbound::certification
