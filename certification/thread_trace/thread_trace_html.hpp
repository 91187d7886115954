#pragma once
/// \file
/// A thread trace as a section of a page: a timeline of its wavefronts, and its instructions beside
/// their bounds.

#include "certification/page/axis.hpp"
#include "certification/page/html_parts.hpp"
#include "certification/thread_trace/held_thread_trace.hpp"

#include <cstddef>
#include <string>

namespace warpbound::certification {

inline constexpr std::size_t drawn_slot_limit = 80; ///< Rows of a timeline; keeps pages small.

/// A row for each slot of each SIMD, up to the limit: instructions in the colour of their kind,
/// stalls as thin lines of that colour. Empty without wavefronts.
std::string thread_trace_figure(const HeldThreadTrace& held, FigureSize size);

/// `outlasts`: a wavefront lasts longer than the bound of its launch.
std::string thread_trace_section(const HeldThreadTrace& held, bool outlasts,
                                 const SectionScope& scope);

} // namespace warpbound::certification
