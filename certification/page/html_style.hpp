#pragma once
/// \file
/// The look of the HTML report: light and dark, on screen and in print, nothing loaded from
/// elsewhere.

#include <string_view>

namespace warpbound::certification {

extern const std::string_view html_style;

} // namespace warpbound::certification
