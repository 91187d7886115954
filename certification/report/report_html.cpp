/// \file
/// The report as one self-contained HTML page that is also well-formed XML.
#include "certification/report/report_html.hpp"

#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"
#include "certification/report/assumptions_html.hpp"
#include "certification/report/wording.hpp"
#include "certification/thread_trace/thread_trace_html.hpp"
#include "models/launch/warp_policy.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification {

namespace {

std::string rests_on(const Claim& claim) {
    return joined(claim.assumptions, ", ");
}

std::string verdict_card(const Report& report) {
    if (report.refuted())
        return card("Refuted",
                    "An observation lies outside a bound: the machine description, a flow fact or "
                    "this tool is wrong.",
                    "refuted");
    const std::string verdict = verdict_of(report);
    if (verdict == "violated")
        return card("Violated", "Even the lower bound ends after the deadline.", "refuted");
    if (verdict == "undecided" && report.undecided.empty())
        return card("Undecided", "The deadline lies between the bounds.", "undecided");
    if (verdict == "undecided")
        return card("Undecided", joined(report.undecided, "; ") + ".", "undecided");
    if (verdict == "holds" && !report.compared())
        return card("Holds", "The deadline is met; no observation was compared.", "holds");
    if (verdict == "none")
        return card("No verdict", "Nothing was required and no observation was compared.");
    return card("Holds", "Every observation lies inside the bounds.", "holds");
}

std::string deadline_card(const Report& report) {
    if (!report.deadline) return {};
    const auto verdict = report.deadline_verdict();
    return card("Deadline " + models::to_string(*report.deadline), deadline_phrase(report),
                verdict == models::DeadlineVerdict::Met        ? "holds"
                : verdict == models::DeadlineVerdict::Violated ? "refuted"
                                                               : "");
}

std::string summary(const Report& report) {
    std::string out = fmt::format("<h1>Timing report: {} on {}</h1>\n", escape(report.kernel),
                                  escape(report.architecture));
    out += fmt::format(
        "<p class=\"quiet\">{}; {} code; launch {} (blocks x threads), policy {}.</p>\n",
        escape(report.architecture_title), escape(report.isa), launch_text(report),
        escape(report.policy));
    out += "<div class=\"summary\">\n";
    out += deadline_card(report) + verdict_card(report);
    for (const auto& claim : report.claims)
        out += card(value_phrase(report, claim),
                    fmt::format("{} bound on the {} ({})", side_name(claim.side),
                                quantity_phrase(claim.quantity), kind_phrase(report, claim)));
    for (const auto& times : report.observations)
        out += card(fmt::format("{} to {} cycles", times.best, times.worst),
                    fmt::format("observed {}, best to worst of {} runs",
                                quantity_phrase(times.quantity), times.count));
    out += card(
        std::to_string(report.unchecked_assumptions()),
        fmt::format("of {} assumptions, of all bounds, are unchecked", report.assumptions.size()));
    return out + "</div>\n";
}

std::string how_to_read(const Report& report) {
    return "<h2 id=\"read\">How to read this</h2>\n"
           "<p>A <b>bound</b> is proved from the kernel's machine code and the machine "
           "description. As long as every assumption below is true, no run takes longer than the "
           "upper bound or shorter than the lower bound. An <b>unchecked</b> "
           "assumption has been neither tested nor reviewed yet. An <b>estimate</b> is the value "
           "of a published formula and may err on either side. An <b>observation</b> is the time "
           "of a run; it shows what can happen, not what cannot. Times in seconds rest on the "
           "range of "
           "the core clock as well. Cycles are core cycles of " +
           std::string{
               report.several_warps()
                   ? "the launch; the worst-case path is that of one warp, timed in isolation"
                   : "one warp in isolation"} +
           ".</p>\n";
}

std::string formulas(const Report& report, const SectionScope& scope) {
    if (report.estimates.empty()) return {};
    std::string rows;
    std::string details;
    for (const auto& estimate : report.estimates) {
        rows += "<tr>" + cell(estimate.model) + cell(estimate.variant) +
                cell(quantity_phrase(estimate.quantity)) +
                (estimate.refusal.empty()
                     ? cell(fmt::format("{:.1f}", estimate.value), true) + cell(estimate.unit)
                     : "<td colspan=\"2\">not applicable: " + escape(estimate.refusal) + "</td>") +
                cell(estimate.source) + "</tr>\n";
        if (estimate.inputs.empty()) continue;
        std::string inputs;
        for (const auto& input : estimate.inputs)
            inputs += "<tr>" + cell(input.symbol) + cell(input.value, true) + cell(input.unit) +
                      cell(input.source) + "</tr>\n";
        details += fmt::format(
            "<details><summary>Inputs of {} ({})</summary>{}</details>\n", escape(estimate.model),
            escape(estimate.variant),
            table("Inputs of the formula",
                  {{"symbol", false}, {"value", true}, {"unit", false}, {"source", false}},
                  inputs));
    }
    return heading(scope, "formulas", "Published formulas") +
           table("Estimates, not bounds",
                 {{"model", false},
                  {"case", false},
                  {"quantity", false},
                  {"value", true},
                  {"unit", false},
                  {"source", false}},
                 rows) +
           details;
}

std::string claims_section(const Report& report) {
    std::string rows;
    for (const auto& claim : report.claims) {
        const auto time = report.time_of(claim);
        rows += "<tr>" + cell(claim.id) + cell(claim.quantity) +
                cell(std::string{side_name(claim.side)}) + cell(std::to_string(claim.value), true) +
                (report.clock ? cell(time ? time_text(*time, claim.side) : "", true) : "") +
                cell(std::string{to_string(claim.kind)}) +
                cell(claim.proof + (claim.uses_addresses() ? ", by addresses" : "") +
                     (claim.limit_reached ? ", limit reached" : "")) +
                cell(rests_on(claim)) + "</tr>\n";
    }
    Columns columns{{"id", false}, {"quantity", false}, {"side", false}, {"cycles", true}};
    if (report.clock) columns.emplace_back("time", true);
    columns.insert(columns.end(), {{"kind", false}, {"proof", false}, {"rests on", false}});
    return "<h2 id=\"claims\">Claims</h2>\n" +
           table("Every bound with its proof and the assumptions it rests on", columns, rows) +
           html_section(report, {}, ReportSection::Sums) +
           fmt::format("<p>Clock: {}{}.</p>\n", escape(clock_phrase(report.clock)),
                       report.clock ? "; times rest on assumption " + report.clock_assumption
                                    : "") +
           "<h2 id=\"assumptions\">Assumptions</h2>\n"
           "<p>A bound is void when one of the assumptions that it rests on is false. They stand "
           "in "
           "groups, by who can confirm them.</p>\n" +
           fmt::format("<p>The machine: {}.</p>\n", models::to_string(report.coverage)) +
           assumption_groups(register_rows(report.assumptions), report.machine_values,
                             report.limitations, {});
}

/// The policies by name, without parameters.
std::string policies_in_words() {
    std::string names;
    std::string choices;
    for (const models::NamedPolicy& named : models::named_policies) {
        names += (names.empty() ? "" : ", ") + std::string{named.name};
        choices += (choices.empty() ? "" : "; ") + std::string{named.choice};
    }
    return fmt::format("<dt>{}</dt><dd>Warp scheduling policies: {}.</dd>\n", names, choices);
}

std::string glossary() {
    return "<h2 id=\"glossary\">Glossary</h2>\n<dl>\n"
           "<dt>warp</dt><dd>32 lanes that execute the same instruction in lockstep.</dd>\n"
           "<dt>execution time</dt><dd>From the cycle in which the first warp may issue until the "
           "last result is available and all stores have left the write buffer.</dd>\n"
           "<dt>measured time</dt><dd>The difference of two reads of the clock register.</dd>\n"
           "<dt>worst-case path</dt><dd>The path through the kernel whose cost is the upper bound; "
           "with several warps, the path of one warp that the bound counts, timed in isolation: "
           "the "
           "one with the longest delays beyond its own demand, which need not be the "
           "longest.</dd>\n"
           "<dt>assumption</dt><dd>A statement that a bound rests on. It is proved, measured, "
           "reviewed or unchecked.</dd>\n"
           "<dt>structural-path, exact-lp, z3-refutation</dt><dd>How a path bound was proved: the "
           "longest path under the loop bounds; the exact optimum of the flow problem (IPET); a "
           "solver showed that no path costs more.</dd>\n"
           "<dt>response-time</dt><dd>Response-time analysis: the critical path of one warp plus "
           "the interference of the other warps on shared resources.</dd>\n"
           "<dt>schedule-exploration</dt><dd>Every schedule that the policy allows was simulated; "
           "under time division, for every cycle in which the period of the time slots may "
           "start.</dd>\n" +
           policies_in_words() +
           "<dt>mode</dt><dd>A peak of the distribution of observed times; several are reported "
           "only "
           "where the dip test (Hartigan and Hartigan 1985) rejects a single one at 1 "
           "%.</dd>\n</dl>\n";
}

} // namespace

std::string render_html(const Report& report) {
    const SectionScope top;
    const auto section = [&](ReportSection which) { return html_section(report, top, which); };
    return page(fmt::format("Timing report: {} on {}", report.kernel, report.architecture),
                summary(report) + how_to_read(report) + section(ReportSection::Envelope) +
                    formulas(report, top) + section(ReportSection::Path) + claims_section(report) +
                    section(ReportSection::Observed) +
                    (report.thread_trace
                         ? thread_trace_section(*report.thread_trace, report.outlasts_bound(), top)
                         : std::string{}) +
                    section(ReportSection::Inputs) + glossary());
}

} // namespace warpbound::certification
