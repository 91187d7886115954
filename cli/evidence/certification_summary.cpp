#include "cli/evidence/certification_summary.hpp"

#include "certification/report/wording.hpp"

#include <fmt/format.h>

namespace warpbound::cli {

std::string summary_of(const certification::Bundle& bundle, const std::string& folder) {
    std::string out = fmt::format("evidence   {}, {} files\nreport id  {}\n", folder,
                                  bundle.files.size(), bundle.report_id);
    for (std::size_t i = 0; i < bundle.reports.size(); ++i) {
        const certification::Report& report = bundle.reports[i];
        out += fmt::format("{} {}, launch {}, policy {}, {}\n", certification::kernel_id(i),
                           report.kernel, certification::launch_text(report), report.policy,
                           report.architecture);
        for (const auto& claim : report.claims)
            out += fmt::format(
                "  {} {}: {} {} core cycles{} ({})\n", claim.id,
                certification::quantity_phrase(claim.quantity),
                claim.side == analyzer::Side::Upper ? "at most" : "at least", claim.value,
                report.time_of(claim)
                    ? ", " + certification::time_text(*report.time_of(claim), claim.side)
                    : "",
                certification::kind_phrase(report, claim));
        out += fmt::format("  clock {}\n", certification::clock_phrase(report.clock));
        if (report.without_evidence)
            out += fmt::format("  without evidence analyze finds {} to {} core cycles\n",
                               report.without_evidence->lower().count(),
                               report.without_evidence->upper().count());
        for (const auto& seen : report.observations)
            out += fmt::format("  {}: observed {} to {} core cycles in {} times on {}, {} outside "
                               "the bounds\n",
                               certification::quantity_phrase(seen.quantity), seen.best, seen.worst,
                               seen.count, seen.device, seen.outside_bounds);
    }
    for (const auto& result : bundle.requirements) {
        out += fmt::format("requirement {} on {} ({}): at most {}: {}", result.requirement.id,
                           result.requirement.kernel,
                           result.kernel.empty() ? "no kernel of the bundle" : result.kernel,
                           certification::budget_text(result.requirement.at_most),
                           to_string(result.verdict));
        if (result.known.upper)
            out += ", margin " +
                   (result.requirement.at_most.is_time()
                        ? models::margin_text(models::Cycles{*result.known.upper},
                                              result.requirement.at_most, result.clock)
                        : fmt::format("{} core cycles",
                                      models::margin_of(models::Cycles{*result.known.upper},
                                                        result.requirement.at_most, {})));
        out += "\n";
    }
    for (const auto& loose : bundle.loose)
        out += fmt::format("too loose: {} {}: upper bound {} core cycles, observed worst {} core "
                           "cycles\n",
                           loose.kernel, certification::quantity_phrase(loose.quantity),
                           loose.bound, loose.worst);
    for (const auto& kernel : bundle.without_times)
        out += fmt::format("--check on {}: undecided, no recorded time of a bounded quantity\n",
                           kernel);
    const std::string verdict = bundle.verdict();
    return out + fmt::format("verdict    {}\n",
                             verdict == "none"
                                 ? "none: no requirement was stated; `verify` checks the evidence"
                                 : verdict);
}

} // namespace warpbound::cli
