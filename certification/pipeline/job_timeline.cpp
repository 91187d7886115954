#include "certification/pipeline/job_timeline.hpp"

#include "certification/page/escape.hpp"
#include "certification/pipeline/figure_text.hpp"
#include "certification/pipeline/pipeline_wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace warpbound::certification {

namespace {

constexpr std::int64_t far = 4; ///< Times the rest of the axis.

/// Colours of the parts of a bar.
enum class Part { Own, Queue, Memory };
constexpr std::string_view class_of(Part part) {
    constexpr std::array<std::string_view, 3> classes{"part0", "part1", "part2"};
    return classes.at(static_cast<std::size_t>(part));
}

struct Segment {
    Part part = Part::Own;
    std::int64_t begin = 0; ///< `Unit:` ns, as all times here.
    std::int64_t end = 0;
    std::string text;
};
struct Row {
    std::string stage;
    std::vector<Segment> segments;
};

struct AxisUnit {
    std::string_view name;
    std::int64_t size;
};
/// The largest unit of which the axis is ten or more.
AxisUnit unit_of(std::int64_t end) {
    constexpr std::array<AxisUnit, 4> units{
        {{"s", 1'000'000'000}, {"ms", 1'000'000}, {"\u00b5s", 1000}, {"ns", 1}}};
    return *std::find_if(units.begin(), units.end() - 1,
                         [&](const AxisUnit& unit) { return end >= 10 * unit.size; });
}

/// A vertical mark over all rows with its label.
std::string mark(const Axis& axis, double value, double base, std::string_view style,
                 const std::string& label, double label_y) {
    const double x = axis.x(value);
    const bool is_right = x > (axis.canvas.left + axis.canvas.right) / 2;
    return fmt::format("<line class=\"{0}\" x1=\"{1:.1f}\" y1=\"34\" x2=\"{1:.1f}\" "
                       "y2=\"{2:.1f}\"/><text class=\"{0}-label\" x=\"{3:.1f}\" y=\"{4:.1f}\" "
                       "text-anchor=\"{5}\">{6}</text>\n",
                       style, x, base, x, label_y, is_right ? "end" : "start", escape(label));
}

std::string drawn(const PipelineReport& report, std::size_t p, const std::string& title,
                  const std::vector<Row>& rows, FigureSize size) {
    const auto& deadline = report.system.pipelines[p].deadline;
    const auto& upper = report.together.pipelines[p].upper;
    std::int64_t last = std::max<std::int64_t>(1, upper.value_or(1));
    for (const Row& row : rows)
        for (const Segment& segment : row.segments)
            last = std::max(last, segment.end);
    // A deadline far away would squeeze the bars.
    const bool is_far = deadline && deadline->count() / far > last;
    if (deadline && !is_far) last = std::max(last, deadline->count());
    const AxisUnit unit = unit_of(last);
    const auto scaled = [&](std::int64_t time) {
        return static_cast<double>(time) / static_cast<double>(unit.size);
    };
    // Names stand to the left of the bars; in a narrow drawing, above them.
    const bool narrow = size == FigureSize::Narrow;
    const double height = narrow ? 42 : 28;
    Canvas canvas = canvas_of(size);
    canvas.left = narrow ? 12 : 170;
    const Axis axis{0, 1.02 * scaled(last), canvas};
    const double base = 40 + height * static_cast<double>(rows.size());
    std::string out =
        fmt::format("<svg viewBox=\"0 0 {0} {1:.0f}\" role=\"img\" aria-label=\"{2}\">"
                    "<title>{2}</title><desc>A bar per stage on an axis of {3} since "
                    "the nominal instant of the job. The table below holds the "
                    "numbers of the bound.</desc>\n",
                    canvas.width, base + axis_height({}), escape(title), unit.name);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const double top = 38 + height * static_cast<double>(i);
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n",
                           narrow ? canvas.left : canvas.left - 10, narrow ? top + 14 : top + 18,
                           narrow ? "start" : "end",
                           escape(shortened(rows[i].stage, narrow ? 44 : 21)));
        for (const Segment& segment : rows[i].segments) {
            if (segment.end <= segment.begin) continue;
            const double x = axis.x(scaled(segment.begin));
            out += fmt::format("<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
                               "height=\"16\"><title>{}: {}</title></rect>\n",
                               class_of(segment.part), x, narrow ? top + 20 : top + 5,
                               std::max(1.0, axis.x(scaled(segment.end)) - x),
                               escape(rows[i].stage), escape(segment.text));
        }
    }
    if (upper)
        out += mark(axis, scaled(*upper), base, "bound", "bound " + at_most_text(*upper), 14);
    if (deadline && !is_far)
        out += mark(axis, scaled(deadline->count()), base, "deadline",
                    "deadline " + models::to_string(*deadline), 30);
    if (is_far)
        out += fmt::format("<text class=\"deadline-label\" x=\"{:.1f}\" y=\"30\" "
                           "text-anchor=\"end\">deadline {} &#8594;</text>\n",
                           canvas.right, escape(models::to_string(*deadline)));
    return out +
           drawn_axis(axis, base, fmt::format("{} since the nominal instant", unit.name), {}) +
           "</svg>\n";
}

std::string key(Part part, std::string_view text) {
    return fmt::format("<svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
                       "class=\"{}\"/></svg>{} ",
                       class_of(part), text);
}

} // namespace

std::string bound_timeline(const PipelineReport& report, std::size_t p, FigureSize size) {
    std::vector<Row> rows;
    const auto& pipeline = report.system.pipelines[p];
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& found = report.together.pipelines[p].stages[i];
        const StageBudget budget = budget_of(report, p, i);
        // A job that arrives last may wait less than the longest response time.
        const std::int64_t length = found.end - found.latest;
        const std::int64_t own = std::min(length, budget.own);
        const std::int64_t memory = std::min(length - own, budget.memory);
        const std::int64_t begin = found.end - own - memory;
        rows.push_back(
            {pipeline.stages[i].name,
             {{Part::Queue, found.latest, begin, "queue, at most " + at_most_text(budget.queue)},
              {Part::Own, begin, begin + own, "own time, at most " + at_most_text(budget.own)},
              {Part::Memory, begin + own, found.end,
               "memory traffic of others, at most " + at_most_text(budget.memory)}}});
    }
    return drawn(report, p, "Worst case of each stage of " + pipeline.name, rows, size);
}

std::string run_timeline(const PipelineReport& report, std::size_t p, FigureSize size) {
    std::vector<Row> rows;
    const auto& pipeline = report.system.pipelines[p];
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& seen = report.observed[p].slowest[i];
        const auto text = [](std::string_view what, std::int64_t time) {
            return fmt::format("{} {}", what, models::to_string(models::Nanoseconds{time}));
        };
        rows.push_back(
            {pipeline.stages[i].name,
             {{Part::Queue, seen.arrival, seen.start, text("waited", seen.start - seen.arrival)},
              {Part::Own, seen.start, seen.end,
               text("from its start to its end", seen.end - seen.start)}}});
    }
    return drawn(report, p, "Slowest simulated job of " + pipeline.name, rows, size);
}

std::string bound_legend() {
    return "<p class=\"quiet\">" + key(Part::Queue, "queue of its server") +
           key(Part::Own, "own time") + key(Part::Memory, "memory traffic of others") + "</p>\n";
}

std::string run_legend() {
    return "<p class=\"quiet\">" + key(Part::Queue, "waits for its server") +
           key(Part::Own, "from its start to its end, with stalls by others") + "</p>\n";
}

} // namespace warpbound::certification
