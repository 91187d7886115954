#pragma once
/// \file
/// A job of a pipeline on a time axis (Gantt chart), as inline SVG.

#include "certification/page/axis.hpp"
#include "certification/pipeline/pipeline_report.hpp"

#include <string>

namespace warpbound::certification {

/// A bar per stage from its latest arrival to its latest end: queue, own time, traffic of others.
/// Not a run: each bar is the worst case of its stage. Requires: an upper bound.
std::string bound_timeline(const PipelineReport& report, std::size_t pipeline, FigureSize size);

/// A bar per stage of the slowest simulated job: waiting, then from its start to its end. Requires:
/// a simulated job of the pipeline.
std::string run_timeline(const PipelineReport& report, std::size_t pipeline, FigureSize size);

/// Markup that names the colours of the bars.
std::string bound_legend();
std::string run_legend();

} // namespace warpbound::certification
