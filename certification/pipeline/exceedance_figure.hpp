#pragma once
/// \file
/// How many simulated jobs of a pipeline took longer than a time, as inline SVG.

#include "certification/page/axis.hpp"
#include "certification/pipeline/pipeline_report.hpp"

#include <string>

namespace warpbound::certification {

/// The exceedance curve of simulated latencies with the deadline and the upper bound. Not a
/// probability of operation: runs draw what makes times long. Requires: a simulated job of the
/// pipeline.
std::string exceedance_figure(const PipelineReport& report, std::size_t pipeline, FigureSize size);

} // namespace warpbound::certification
