#pragma once
/// \file
/// Figures as inline SVG: each with a title, a description, axes with units.

#include "certification/report.hpp"

#include <string>

namespace warpbound::certification {

/// Text that is safe inside XML.
std::string escape(const std::string& text);

/// Histogram of the observed times of a quantity with its bounds and estimates on one axis of core
/// cycles. Draws what there is: bounds alone, or a single value where all agree. Empty when there
/// is nothing at all.
std::string envelope_figure(const Report& report, const std::string& quantity);

/// One bar whose parts are the stack's categories. Empty for an empty stack.
std::string stack_figure(const Report& report);

/// Class of the colour of a stack category, by position.
std::string stack_class(std::size_t position);

} // namespace warpbound::certification
