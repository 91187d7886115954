#pragma once
/// \file
/// Sections of a report that stand in a page with those of others.

#include "certification/page/html_parts.hpp"
#include "certification/report/report.hpp"

namespace warpbound::certification {

/// Envelope, worst path, where the cycles go, sums, observations and inputs. Summary, claims,
/// assumptions, limitations and glossary are the page's.
std::string html_sections(const Report& report, const Place& place);

} // namespace warpbound::certification
