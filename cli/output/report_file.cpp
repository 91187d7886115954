#include "cli/output/report_file.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>

namespace warpbound::cli {

std::optional<std::string> report_format_of(const std::string& path) {
    const std::string ending = std::filesystem::path{path}.extension().string();
    if (ending == ".html" || ending == ".xml" || ending == ".json") return ending.substr(1);
    if (ending == ".txt") return "text";
    return std::nullopt;
}

std::string render_report(const certification::Report& report, const std::string& format) {
    if (format == "json") return certification::render_json(report);
    if (format == "xml") return certification::render_xml(report);
    if (format == "html") return certification::render_html(report);
    return certification::render_text(report);
}

} // namespace warpbound::cli
