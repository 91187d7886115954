#pragma once
/// \file
/// The stages of a pipeline and where they run, as inline SVG.

#include "certification/page/axis.hpp"
#include "certification/pipeline/pipeline_report.hpp"

#include <string>

namespace warpbound::certification {

/// Wide: a lane per server with those who share it, stages from left to right by what they wait
/// for. Narrow, and for long chains: a row per stage. Stages of the chain of the bound stand out.
std::string stage_diagram(const PipelineReport& report, std::size_t pipeline, FigureSize size);

} // namespace warpbound::certification
