#include "certification/page/axis.hpp"

#include "certification/page/escape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace warpbound::certification {

namespace {

constexpr std::size_t most_axis_ticks = 14;
constexpr double one_scale = 56;
constexpr double two_scales = 104;

/// A step of 1, 2 or 5 times a power of ten that gives about so many ticks.
double tick_step(double range, int ticks) {
    const double rough = range / ticks;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (rough <= factor * power) return factor * power;
    return 10 * power;
}

/// A scale of the axis: `per_cycle` of its unit take one cycle.
std::string scale(const Axis& axis, double base, double per_cycle, double least_step,
                  const std::string& unit) {
    const double step =
        std::max(least_step, tick_step((axis.hi - axis.lo) * per_cycle, axis.canvas.ticks));
    const double first = std::ceil(axis.lo * per_cycle / step) * step;
    std::string out = fmt::format(
        "<line class=\"axis\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\"/>\n",
        axis.canvas.left, base, axis.canvas.right);
    for (std::size_t i = 0; i < most_axis_ticks; ++i) {
        const double value = first + static_cast<double>(i) * step;
        if (value > axis.hi * per_cycle) break;
        out += fmt::format(
            "<line class=\"axis\" x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{0:.1f}\" y2=\"{2:.1f}\"/>"
            "<text class=\"tick\" x=\"{0:.1f}\" y=\"{3:.1f}\" "
            "text-anchor=\"middle\">{4:.10g}{5}</text>\n",
            axis.x(value / per_cycle), base, base + 6, base + 21, value + 0.0, unit);
    }
    return out;
}

std::string axis_label(const Axis& axis, double y, const std::string& text) {
    return fmt::format("<text class=\"tick axis-label\" x=\"{:.1f}\" y=\"{:.1f}\" "
                       "text-anchor=\"middle\">{}</text>\n",
                       (axis.canvas.left + axis.canvas.right) / 2, y, escape(text));
}

struct ScaleUnit {
    const char* name;
    double nanoseconds;
};
constexpr std::array<ScaleUnit, 4> scale_units{
    {{"s", 1e9}, {"ms", 1e6}, {"\u00b5s", 1e3}, {"ns", 1}}};

} // namespace

Canvas canvas_of(FigureSize size) {
    if (size == FigureSize::Wide) return {};
    return {.width = 380, .left = 44, .right = 366, .ticks = 3};
}

double axis_height(const std::optional<models::ClockRange>& clock) {
    return clock ? two_scales : one_scale;
}

std::string drawn_axis(const Axis& axis, double base, const std::string& label,
                       const std::optional<models::ClockRange>& clock, double least_step) {
    std::string out = scale(axis, base, 1, least_step, "");
    out += axis_label(axis, base + 40, label);
    if (!clock) return out;
    const double nanoseconds = 1e9 / static_cast<double>(clock->lo); // Of a cycle.
    const double widest = std::max(std::abs(axis.lo), axis.hi) * nanoseconds;
    const auto* const unit =
        std::find_if(scale_units.begin(), scale_units.end() - 1,
                     [&](const ScaleUnit& one) { return widest >= one.nanoseconds; });
    out += scale(axis, base + 54, nanoseconds / unit->nanoseconds, 0, "");
    return out +
           axis_label(axis, base + 94,
                      fmt::format("{} at {}", unit->name,
                                  models::to_string(models::ClockRange{clock->lo, clock->lo})));
}

} // namespace warpbound::certification
