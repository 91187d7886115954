#include "cli/recordings/campaign_page.hpp"

#include "certification/campaign/campaign_report.hpp"
#include "cli/version.hpp"

#include <filesystem>
#include <utility>

namespace warpbound::cli {

Exit write_campaign_page(harness::Campaign& campaign, const std::string& file,
                         const std::string& output, std::vector<certification::HeldRuns> held) {
    ProgressBar bar{"reading"};
    const bool was_interrupted = interrupted(); // Then the page of what was recorded is wanted.
    const auto progress = [&, show = bar.callback()](std::int64_t done, std::int64_t all) {
        return show(done, all) || was_interrupted;
    };
    auto report = certification::report_of(
        campaign, std::filesystem::path{file}.filename().string(), version, progress);
    if (!report) {
        const Exit refused = refuse(report.error());
        return interrupted() && !was_interrupted ? Exit::Undecided : refused;
    }
    report.value().held = std::move(held);
    return write_result(certification::render_html(report.value()), output);
}

} // namespace warpbound::cli
