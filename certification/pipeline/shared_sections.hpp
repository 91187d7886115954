#pragma once
/// \file
/// Sections of the page of pipelines beside their stages: misses, co-runners, servers, sensitivity,
/// assumptions.

#include "certification/page/html_parts.hpp"
#include "certification/pipeline/pipeline_report.hpp"

#include <string>

namespace warpbound::certification {

/// The estimate of missed deadlines. Empty: no stage has samples.
std::string misses_section(const PipelineReport& report, std::size_t pipeline,
                           const SectionScope& scope);

/// What all pipelines share.
std::string shared_sections(const PipelineReport& report);

} // namespace warpbound::certification
