#pragma once
/// \file
/// Style sheet of the HTML reports: light and dark, on screen and in print, self-contained.

#include <string_view>

namespace warpbound::certification {

extern const std::string_view html_style;

} // namespace warpbound::certification
