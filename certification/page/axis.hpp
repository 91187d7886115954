#pragma once
/// \file
/// Axis of core cycles in a drawing, with a second scale in seconds where a clock is known.

#include "models/time/clock.hpp"

#include <optional>
#include <string>

namespace warpbound::certification {

/// A page holds each figure twice, and the style sheet shows the one that fits the window.
enum class FigureSize { Wide, Narrow };

/// Horizontal extent of a drawing. `Unit:` user units of the SVG, which are CSS pixels at the
/// widest.
struct Canvas {
    double width = 960;
    double left = 60;
    double right = 930;
    int ticks = 6; ///< About so many on the axis.
};
Canvas canvas_of(FigureSize size);

/// The range of the axis, in cycles; never of zero width.
struct Axis {
    double lo = 0;
    double hi = 1;
    Canvas canvas;

    [[nodiscard]] double x(double value) const {
        return canvas.left + (value - lo) / (hi - lo) * (canvas.right - canvas.left);
    }
};

/// The line of the axis, its ticks and its label, below `base`. `clock`: adds a scale of the time
/// at its lowest frequency, against which upper bounds are read. `least_step`: between two ticks.
std::string drawn_axis(const Axis& axis, double base, const std::string& label,
                       const std::optional<models::ClockRange>& clock, double least_step = 1);
/// Height of what `drawn_axis` draws.
double axis_height(const std::optional<models::ClockRange>& clock);

} // namespace warpbound::certification
