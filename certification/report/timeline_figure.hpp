#pragma once
/// \file
/// Issue timeline of the warps of one run, as inline SVG.

#include "certification/page/axis.hpp"
#include "harness/protocol/schedules.hpp"

#include <cstdint>
#include <string>

namespace warpbound::certification {

/// A row per warp on an axis of `end` core cycles; a column of the drawing is dark where the warp
/// issued in one of its cycles. Requires: end is at least the timeline's time.
std::string timeline_figure(const std::string& title, const harness::Timeline& timeline,
                            std::int64_t end, FigureSize size);

} // namespace warpbound::certification
