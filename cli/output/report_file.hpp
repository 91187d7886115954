#pragma once
/// \file
/// Report files: their format by the ending of their name.

#include "certification/report/report.hpp"

#include <optional>
#include <string>

namespace warpbound::cli {

/// html, xml, json or text by the file's extension; none for another one.
std::optional<std::string> report_format_of(const std::string& path);

/// The report as text, json, xml or html.
std::string render_report(const certification::Report& report, const std::string& format);

} // namespace warpbound::cli
