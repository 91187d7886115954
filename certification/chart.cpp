#include "certification/chart.hpp"

#include "certification/wording.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace warpbound::certification {

namespace {

constexpr double width = 960;
constexpr double left = 60;
constexpr double right = 930;
constexpr double base = 250; ///< The axis.
constexpr double top = 96;   ///< Of the highest bar; labels stand above.
constexpr std::size_t bins = 48;

/// The range of the axis, in cycles, with a margin; never of zero width.
struct Axis {
    double lo = 0;
    double hi = 1;

    [[nodiscard]] double x(double value) const {
        return left + (value - lo) / (hi - lo) * (right - left);
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
        if (estimate.quantity == quantity && estimate.refusal.empty())
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
    const double margin = std::max(1.0, 0.04 * (hi - lo));
    return {std::max(0.0, lo - margin), hi + margin};
}

std::string ticks(const Axis& axis) {
    std::string out;
    const double step = tick_step(axis.hi - axis.lo);
    for (double value = std::ceil(axis.lo / step) * step; value <= axis.hi; value += step)
        out += fmt::format(
            "<line class=\"axis\" x1=\"{0:.1f}\" y1=\"{1}\" x2=\"{0:.1f}\" y2=\"{2}\"/>"
            "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3}\" text-anchor=\"middle\">{4:.0f}</text>\n",
            axis.x(value), base, base + 6, base + 24, value);
    return out;
}

std::string bars(const Axis& axis, const std::vector<ObservedValue>& observed) {
    if (observed.empty()) return {};
    std::vector<std::int64_t> heights(bins, 0);
    const double range = axis.hi - axis.lo;
    for (const auto& [value, count] : observed) {
        const auto bin = static_cast<std::size_t>((static_cast<double>(value) - axis.lo) / range *
                                                  static_cast<double>(bins));
        heights[std::min(bin, bins - 1)] += count;
    }
    const std::int64_t highest = *std::max_element(heights.begin(), heights.end());
    const double bar = (right - left) / static_cast<double>(bins);
    std::string out;
    for (std::size_t i = 0; i < bins; ++i) {
        if (heights[i] == 0) continue;
        const double height = std::max(2.0, (base - top) * static_cast<double>(heights[i]) /
                                                static_cast<double>(highest));
        out += fmt::format(
            "<rect class=\"bar\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
            left + static_cast<double>(i) * bar + 0.5, base - height, bar - 1, height);
    }
    out += fmt::format(
        "<text class=\"tick\" x=\"{0}\" y=\"{1:.0f}\" text-anchor=\"end\">{2}</text>"
        "<text class=\"tick\" x=\"{0}\" y=\"{3:.0f}\" text-anchor=\"end\">0</text>"
        "<text class=\"tick\" x=\"16\" y=\"{4:.0f}\" transform=\"rotate(-90 16 {4:.0f})\" "
        "text-anchor=\"middle\">observations</text>\n",
        left - 6, top + 5, highest, base + 4, (top + base) / 2);
    return out;
}

/// Lines with labels in rows above the plot, each row used again only where it is free.
std::string mark_lines(const Axis& axis, const std::vector<Mark>& marks) {
    std::string out;
    std::vector<double> row_end;
    for (const auto& mark : marks) {
        const double x = axis.x(mark.value);
        const double length = 7.2 * static_cast<double>(mark.label.size());
        const bool leftward = x + length > right + 20;
        const double begin = leftward ? x - length : x;
        std::size_t row = 0;
        while (row < row_end.size() && row_end[row] > begin)
            ++row;
        if (row == row_end.size()) row_end.push_back(0);
        row_end[row] = begin + length + 10;
        const double y = 16 + 15 * static_cast<double>(row);
        out += fmt::format(
            "<line class=\"{0}\" x1=\"{1:.1f}\" y1=\"{2:.1f}\" x2=\"{1:.1f}\" y2=\"{3}\"/>"
            "<text class=\"{0}-label\" x=\"{4:.1f}\" y=\"{2:.1f}\" "
            "text-anchor=\"{5}\">{6}</text>\n",
            mark.style, x, y, base, leftward ? x - 4 : x + 4, leftward ? "end" : "start",
            escape(mark.label));
    }
    return out;
}

} // namespace

std::string escape(const std::string& text) {
    std::string out;
    for (const char c : text) {
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
            // Control characters are not allowed in XML.
            out += static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' ? '?' : c;
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
    const std::string title = fmt::format("Envelope of the {} of {}", quantity, report.kernel);
    std::string out =
        fmt::format("<svg viewBox=\"0 0 {0} 310\" role=\"img\" "
                    "aria-label=\"{1}\"><title>{1}</title><desc>Observed times as a histogram, "
                    "bounds and estimates as vertical lines, on an axis in core cycles. The table "
                    "below holds the same numbers.</desc>\n",
                    width, escape(title));
    out += bars(axis, observed);
    out += fmt::format("<line class=\"axis\" x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{1}\"/>\n", left,
                       base, right);
    out += ticks(axis) + mark_lines(axis, marks);
    out += fmt::format("<text class=\"tick\" x=\"{}\" y=\"{}\" text-anchor=\"middle\">{} in core "
                       "cycles</text>\n</svg>\n",
                       (left + right) / 2, base + 48, escape(quantity));
    return out;
}

std::string stack_class(std::size_t position) {
    return fmt::format("part{}", position % 8);
}

std::string stack_figure(const Report& report) {
    std::int64_t total = 0;
    for (const auto& [category, cycles] : report.stack)
        total += cycles;
    if (total <= 0) return {};
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {} 90\" role=\"img\" aria-label=\"Where the cycles of the worst path "
        "go\"><title>Where the cycles of the worst path go</title><desc>One bar of {} core cycles, "
        "split by what the warp waited for. The table below holds the same numbers.</desc>\n",
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
        "text-anchor=\"end\">{2}</text><text class=\"tick\" x=\"{3}\" y=\"82\" "
        "text-anchor=\"middle\">core "
        "cycles of the worst path</text>\n</svg>\n",
        left, right, total, (left + right) / 2);
    return out;
}

} // namespace warpbound::certification
