#pragma once
/// \file
/// Sections of one report inside a page that shows several reports.

#include "certification/page/html_parts.hpp"
#include "certification/report/report.hpp"

namespace warpbound::certification {

enum class ReportSection {
    Envelope, ///< Bounds, estimates, deadline and observations on one axis.
    Path,     ///< Worst-case path on the assembly, and its CPI stack.
    Sums,     ///< Bounds that are sums, with their terms.
    Observed,
    Inputs
};
std::string html_section(const Report& report, const SectionScope& scope, ReportSection section);

/// Envelope, worst-case path, CPI stack, sums of the bounds, observations and inputs. The page
/// itself adds summary, claims, assumptions, limitations and glossary.
std::string html_sections(const Report& report, const SectionScope& scope);

} // namespace warpbound::certification
