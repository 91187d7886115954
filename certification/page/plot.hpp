#pragma once
/// \file
/// Plots as stand-alone SVG documents: lines over a swept parameter, predicted against observed
/// times, stacked bars. Each has a title, a description and axes with units.

#include "certification/page/axis.hpp"

#include <string>
#include <utility>
#include <vector>

namespace warpbound::certification {

struct PlotText {
    std::string title;
    std::string description;
    std::string x; ///< Label of the axis with its unit.
    std::string y;
    bool from_zero = true; ///< The y axis of `line_plot` begins at 0, or below negative values.
};

/// Points are not connected.
enum class Stroke { Solid, Dashed, Dotted, Points };

struct PlotSeries {
    std::string name;
    std::vector<std::pair<double, double>> points; ///< Finite numbers.
    std::size_t colour = 0; ///< Index modulo 8 into the palette. Related series may share one.
    Stroke stroke = Stroke::Solid; ///< Of a line.
};

/// Points connected in their order, one line per series; a series of one point, or of `Points`, is
/// dots.
std::string line_plot(const PlotText& text, const std::vector<PlotSeries>& series,
                      FigureSize size = FigureSize::Wide);

/// Points on logarithmic axes of equal range, with the diagonal where y = x. Points that are not
/// positive are left out.
std::string scatter_plot(const PlotText& text, const std::vector<PlotSeries>& series);

/// A bar of a histogram, from `lo` to `hi` on the axis.
struct PlotInterval {
    double lo = 0;
    double hi = 0;
    double height = 0; ///< Not negative.
};

/// Vertical bars. Requires: bars in order.
std::string histogram_plot(const PlotText& text, const std::vector<PlotInterval>& bars,
                           FigureSize size = FigureSize::Wide);

struct PlotBar {
    std::string name;
    std::vector<double> parts; ///< `Shape:` parts[category], none negative.
};

/// Horizontal bars, each split into the categories.
std::string stack_plot(const PlotText& text, const std::vector<std::string>& categories,
                       const std::vector<PlotBar>& bars);

} // namespace warpbound::certification
