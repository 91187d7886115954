#include "cli/campaign_page.hpp"

#include "certification/campaign_report.hpp"
#include "cli/version.hpp"

#include <filesystem>

namespace warpbound::cli {

Exit write_campaign_page(harness::Campaign& campaign, const std::string& file,
                         const std::string& output) {
    ProgressBar bar{"reading"};
    const auto report = certification::report_of(
        campaign, std::filesystem::path{file}.filename().string(), version, bar.callback());
    if (!report) return refuse(report.error());
    return write_result(certification::render_html(report.value()), output);
}

} // namespace warpbound::cli
