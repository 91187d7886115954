#pragma once
/// \file
/// Figures as inline SVG: each with a title, a description, axes with units.

#include "certification/page/axis.hpp"
#include "certification/page/escape.hpp"
#include "certification/report/report.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification {

/// Histogram of the observed times of a quantity with its bounds, estimates and deadline on one
/// axis of core cycles and, where a clock is known, of seconds. Bounds are drawn without
/// observations, too. Empty without bounds, estimates and observations.
std::string envelope_figure(const Report& report, const std::string& quantity, FigureSize size);

/// One bar whose parts are the stack's categories. Empty for an empty stack.
std::string stack_figure(const Report& report, FigureSize size);

/// A row of `ranges_figure`. `Unit:` that of its axis.
struct RangeRow {
    std::string label;
    std::optional<std::pair<double, double>> bounds; ///< Lower, upper.
    double best = 0;
    double mean = 0;
    double worst = 0;
};
/// What the rows and the axis of `ranges_figure` are.
struct RangesText {
    std::string title;
    std::string row;       ///< "policy"
    std::string axis;      ///< "execution time in cycles"
    double least_step = 1; ///< Between two ticks; 0: any.
};
/// One row per entry on one axis: the bounds as a line with ends, the observed range as a bar with
/// its mean marked. `clock`: that of an axis of core cycles, for a second scale. Empty without
/// rows.
std::string ranges_figure(const RangesText& text, const std::vector<RangeRow>& rows,
                          const std::optional<models::ClockRange>& clock, FigureSize size);

/// CSS class that colours the stack category at this position.
std::string stack_class(std::size_t position);

} // namespace warpbound::certification
