#pragma once
/// \file
/// Sections of one report inside a page that shows several reports.

#include "certification/page/html_parts.hpp"
#include "certification/report/report.hpp"

namespace warpbound::certification {

/// Envelope, worst-case path, CPI stack, sums of the bounds, observations and inputs. The page
/// itself adds summary, claims, assumptions, limitations and glossary.
std::string html_sections(const Report& report, const SectionScope& scope);

} // namespace warpbound::certification
