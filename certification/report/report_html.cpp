/// \file
/// The report as one self-contained HTML page that is also well-formed XML.
#include "certification/report/report_html.hpp"

#include "certification/page/chart.hpp"
#include "certification/page/html_parts.hpp"
#include "certification/report/wording.hpp"

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
    if (!report.undecided.empty())
        return card("Undecided", joined(report.undecided, "; ") + ".", "undecided");
    if (!report.compared())
        return card("No verdict", "Nothing was required and no observation was compared.");
    return card("Holds", "Every observation lies inside the bounds.", "holds");
}

std::string summary(const Report& report) {
    std::string out = fmt::format("<h1>Timing report: {} on {}</h1>\n", escape(report.kernel),
                                  escape(report.architecture));
    out += fmt::format(
        "<p class=\"quiet\">{}; {} code; launch {} (blocks x threads), policy {}.</p>\n",
        escape(report.architecture_title), escape(report.isa), launch_text(report),
        escape(report.policy));
    out += "<div class=\"summary\">\n";
    out += verdict_card(report);
    for (const auto& claim : report.claims)
        out += card(fmt::format("{} {}", claim.value, claim.unit),
                    fmt::format("{} bound on the {} ({})", side_name(claim.side),
                                quantity_phrase(claim.quantity), kind_phrase(report, claim)));
    for (const auto& times : report.observations)
        out += card(fmt::format("{} to {} cycles", times.best, times.worst),
                    fmt::format("observed {}, best to worst of {} runs",
                                quantity_phrase(times.quantity), times.count));
    out += card(std::to_string(report.unchecked_assumptions()),
                fmt::format("of {} assumptions are unchecked", report.assumptions.size()));
    return out + "</div>\n";
}

std::string how_to_read(const Report& report) {
    return "<h2 id=\"read\">How to read this</h2>\n"
           "<p>A <b>bound</b> is proved from the kernel's machine code and the machine "
           "description. As long as every assumption below is true, no run takes longer than the "
           "upper bound or shorter than the lower bound. An <b>unchecked</b> "
           "assumption has been neither tested nor reviewed yet. An <b>estimate</b> is the value "
           "of a published formula and may err on either side. An <b>observation</b> is the time "
           "of a run; it shows what can happen, not what cannot. Times are core cycles of " +
           std::string{report.several_warps()
                           ? "the launch; the worst-case path is that of one warp in isolation"
                           : "one warp in isolation"} +
           ".</p>\n";
}

/// The quantities of the claims, then those of the observations, without duplicates.
std::vector<std::string> quantities_of(const Report& report) {
    std::vector<std::string> out;
    const auto add = [&](const std::string& quantity) {
        if (std::find(out.begin(), out.end(), quantity) == out.end()) out.push_back(quantity);
    };
    for (const auto& claim : report.claims)
        add(claim.quantity);
    for (const auto& times : report.observations)
        add(times.quantity);
    return out;
}

std::string envelope(const Report& report, const SectionScope& scope) {
    std::string out = heading(scope, "envelope", "Envelope");
    for (const auto& quantity : quantities_of(report)) {
        const std::string drawing = envelope_figure(report, quantity);
        if (drawing.empty()) continue;
        const bool observed =
            std::any_of(report.observations.begin(), report.observations.end(),
                        [&](const ObservedTimes& times) { return times.quantity == quantity; });
        out += figure(drawing, fmt::format("Bounds (solid lines) and estimates (dashed lines) of "
                                           "the {}{}",
                                           quantity_phrase(quantity),
                                           observed ? " over a histogram of the observed times"
                                                    : "; it was not observed"));
        std::string rows;
        for (const auto& claim : report.claims)
            if (claim.quantity == quantity)
                rows += "<tr>" + cell(std::string{side_name(claim.side)} + " bound") +
                        cell(std::to_string(claim.value), true) + cell("1", true) + "</tr>\n";
        for (const auto& estimate : report.estimates)
            if (estimate.quantity == quantity && estimate.unit == "cycles" &&
                estimate.refusal.empty())
                rows += "<tr>" + cell(estimate.model + " " + estimate.variant + " (estimate)") +
                        cell(fmt::format("{:.1f}", estimate.value), true) + cell("1", true) +
                        "</tr>\n";
        for (const auto& times : report.observations)
            if (times.quantity == quantity)
                for (const auto& [value, count] : times.values)
                    rows += "<tr>" + cell("observed") + cell(std::to_string(value), true) +
                            cell(std::to_string(count), true) + "</tr>\n";
        out += "<details><summary>Table of this figure</summary>" +
               table("Bounds, estimates and distinct observed values",
                     {{"value", false}, {"cycles", true}, {"count", true}}, rows) +
               "</details>\n";
    }
    return out;
}

std::string observations(const Report& report, const SectionScope& scope) {
    if (report.observations.empty())
        return heading(scope, "observed", "Observed times") +
               "<p>No observation was compared with the bounds.</p>\n";
    std::string rows;
    std::string outside;
    for (const auto& times : report.observations) {
        if (times.outside_bounds > 0) {
            outside += fmt::format(
                "<p class=\"refuted\"><b>Refuted:</b> {} of {} observations of the {} "
                "lie outside its bounds, the first in run {}",
                times.outside_bounds, times.count, escape(quantity_phrase(times.quantity)),
                times.first_outside_run.value_or(0));
            for (std::size_t i = 0; i < times.outside_seeds.size(); ++i)
                outside += fmt::format("{}{}", i == 0 ? "; seeds " : ", ", times.outside_seeds[i]);
            outside += ".</p>\n";
        }
        rows += "<tr>" + cell(times.quantity) + cell(times.device) + cell(times.protocol) +
                cell(std::to_string(times.count), true) + cell(std::to_string(times.best), true) +
                cell(fmt::format("{:.2f}", times.mean), true) +
                cell(std::to_string(times.median), true) + cell(std::to_string(times.p90), true) +
                cell(std::to_string(times.p99), true) + cell(std::to_string(times.worst), true) +
                cell(std::to_string(times.distinct), true) +
                cell(std::to_string(times.modes), true) +
                cell(std::to_string(times.outside_bounds), true) + "</tr>\n";
    }
    return heading(scope, "observed", "Observed times") + outside +
           table("Core cycles; every observation is included",
                 {{"quantity", false},
                  {"device", false},
                  {"protocol", false},
                  {"count", true},
                  {"best", true},
                  {"mean", true},
                  {"median", true},
                  {"p90", true},
                  {"p99", true},
                  {"worst", true},
                  {"distinct", true},
                  {"modes", true},
                  {"outside bounds", true}},
                 rows);
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

std::string annotated_assembly(const Report& report, const SectionScope& scope) {
    std::int64_t hottest = 1;
    for (const auto& line : report.assembly)
        hottest = std::max(hottest, line.cycles);
    std::string rows;
    for (const auto& line : report.assembly) {
        const double heat = 0.55 * static_cast<double>(line.cycles) / static_cast<double>(hottest);
        rows += fmt::format(
            "<tr class=\"{}{}\"{}>", line.block_start ? "start" : "",
            line.executions == 0 ? " idle" : "",
            line.cycles > 0 ? fmt::format(" style=\"background: rgba(var(--heat), {:.3f})\"", heat)
                            : "");
        rows += cell(address_text(line.address)) +
                cell(line.executions == 0 ? "" : std::to_string(line.executions), true) +
                cell(line.executions == 0 ? "" : std::to_string(line.cycles), true) +
                cell(line.text) + "</tr>\n";
    }
    std::string blocks;
    for (const auto& block : report.worst_path)
        blocks += "<tr>" + cell(address_text(block.address)) +
                  cell(std::to_string(block.count), true) +
                  cell(std::to_string(block.cycles), true) + "</tr>\n";
    return heading(scope, "assembly", "Worst-case path on the assembly") +
           "<p>The cycles of an instruction are the time from the previous issue to its own issue, "
           "summed over its executions on the worst-case path. The stronger the background colour, "
           "the more cycles; grey lines are not on the path.</p>\n<div class=\"code\">" +
           table(
               "Instructions in address order; a rule marks the first instruction of a basic block",
               {{"address", false}, {"executions", true}, {"cycles", true}, {"instruction", false}},
               rows) +
           "</div>\n<details><summary>Basic blocks of the worst-case path</summary>" +
           table("Basic blocks in address order; cycles are summed over their executions",
                 {{"block", false}, {"executions", true}, {"cycles", true}}, blocks) +
           "</details>\n";
}

std::string stack(const Report& report, const SectionScope& scope) {
    const std::string drawing = stack_figure(report);
    if (drawing.empty()) return {};
    std::string rows;
    const std::int64_t total = stack_total(report);
    for (std::size_t i = 0; i < report.stack.size(); ++i)
        rows += fmt::format(
            "<tr><td><svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
            "class=\"{}\" width=\"10\" height=\"10\"/></svg>{}</td>{}{}</tr>\n",
            stack_class(i), escape(report.stack[i].first),
            cell(std::to_string(report.stack[i].second), true),
            cell(fmt::format("{:.1f} %", 100.0 * static_cast<double>(report.stack[i].second) /
                                             static_cast<double>(total)),
                 true));
    rows +=
        "<tr>" + cell("sum") + cell(std::to_string(total), true) + cell("100 %", true) + "</tr>\n";
    return heading(scope, "stack", "Where the cycles go") +
           figure(drawing,
                  fmt::format("CPI stack: the {} cycles of the worst-case path by cause of the "
                              "wait; the table is the legend",
                              total)) +
           table("Cycles of the worst-case path by cause of the wait",
                 {{"category", false}, {"cycles", true}, {"share", true}}, rows);
}

/// Each bound that is a sum, with its terms.
std::string compositions(const Report& report) {
    std::string sums;
    for (const auto& claim : report.claims) {
        if (claim.terms.empty()) continue;
        std::string terms;
        for (const auto& term : claim.terms)
            terms += "<tr>" + cell(term.text) + cell(std::to_string(term.count), true) +
                     cell(std::to_string(term.cycles), true) +
                     cell(std::to_string(term.count * term.cycles), true) + "</tr>\n";
        terms += "<tr>" + cell("sum") + cell("", true) + cell("", true) +
                 cell(std::to_string(claim.value), true) + "</tr>\n";
        sums += table(
            fmt::format("How claim {}, the {} bound, adds up", claim.id, side_name(claim.side)),
            {{"term", false}, {"count", true}, {"cycles", true}, {"product", true}}, terms);
    }
    return sums;
}

std::string claims(const Report& report) {
    std::string rows;
    for (const auto& claim : report.claims) {
        rows += "<tr>" + cell(claim.id) + cell(claim.quantity) +
                cell(std::string{side_name(claim.side)}) + cell(std::to_string(claim.value), true) +
                cell(std::string{to_string(claim.kind)}) +
                cell(claim.proof + (claim.limit_reached ? ", limit reached" : "")) +
                cell(rests_on(claim)) + "</tr>\n";
    }
    std::string register_rows;
    for (const auto& assumption : report.assumptions)
        register_rows += "<tr>" + cell(assumption.id) +
                         cell(std::string{analyzer::to_string(assumption.status)}) +
                         cell(assumption.text) + "</tr>\n";
    return "<h2 id=\"claims\">Claims</h2>\n" +
           table("Every bound with its proof and the assumptions it rests on",
                 {{"id", false},
                  {"quantity", false},
                  {"side", false},
                  {"cycles", true},
                  {"kind", false},
                  {"proof", false},
                  {"rests on", false}},
                 rows) +
           compositions(report) + "<h2 id=\"assumptions\">Assumptions</h2>\n" +
           table("What a reviewer has to accept",
                 {{"id", false}, {"status", false}, {"assumption", false}}, register_rows);
}

std::string digest_cell(const std::string& digest) {
    return digest.empty()
               ? std::string{"<td>none</td>"}
               : fmt::format("<td class=\"digest\"><code>{}</code></td>", escape(digest));
}

std::string inputs(const Report& report, const SectionScope& scope) {
    std::string rows;
    for (const auto& input : report.inputs)
        rows +=
            "<tr>" + cell(input.role) + cell(input.name) + digest_cell(input.digest) + "</tr>\n";
    std::string versions = "warpbound " + report.tool_version;
    for (const auto& version : report.versions)
        versions += ", " + version;
    rows += "<tr>" + cell("kernel") + cell(report.kernel) + digest_cell(report.kernel_digest) +
            "</tr>\n<tr>" + cell("machine") + cell(report.architecture) +
            digest_cell(report.architecture_digest) + "</tr>\n";
    // A section of a bundle's page says what the bundle says of itself.
    const char* const standing =
        scope.prefix.empty() ? ""
                             : " (claimed by the bundle; <code>warpbound verify</code> compares it "
                               "with the program that checks)";
    return heading(scope, "inputs", "Inputs and versions") +
           table("Inputs of this report", {{"role", false}, {"name", false}, {"digest", false}},
                 rows) +
           fmt::format("<p>Made by {}{}; solver: {}; seed {}.</p>\n", escape(versions), standing,
                       report.solver.empty() ? "none" : escape(report.solver), report.seed);
}

std::string closing(const Report& report) {
    std::string out = "<h2 id=\"limits\">Not included</h2>\n<ul>\n";
    for (const auto& limitation : report.limitations)
        out += "<li>" + escape(limitation) + "</li>\n";
    return out +
           "</ul>\n<h2 id=\"glossary\">Glossary</h2>\n<dl>\n"
           "<dt>warp</dt><dd>32 lanes that execute the same instruction in lockstep.</dd>\n"
           "<dt>execution time</dt><dd>From the cycle in which the first warp may issue until the "
           "last result is available and all stores have left the write buffer.</dd>\n"
           "<dt>measured time</dt><dd>The difference of two reads of the clock register.</dd>\n"
           "<dt>worst-case path</dt><dd>The path through the kernel whose cost is the upper bound; "
           "with several warps, the longest path of one warp in isolation.</dd>\n"
           "<dt>assumption</dt><dd>A statement that a bound rests on. It is proved, measured, "
           "reviewed or unchecked.</dd>\n"
           "<dt>structural-path, exact-lp, z3-refutation</dt><dd>How a path bound was proved: the "
           "longest path under the loop bounds; the exact optimum of the flow problem (IPET); a "
           "solver showed that no path costs more.</dd>\n"
           "<dt>response-time</dt><dd>Response-time analysis: the critical path of one warp plus "
           "the interference of the other warps on shared resources.</dd>\n"
           "<dt>schedule-exploration</dt><dd>Every schedule that the policy allows was simulated; "
           "under time division, for every cycle in which the period of the time slots may "
           "start.</dd>\n"
           "<dt>lrr, gto</dt><dd>Warp scheduling policies: loose round robin; greedy then "
           "oldest.</dd>\n"
           "<dt>mode</dt><dd>A cluster of observed times, separated from the next one by a wide "
           "gap.</dd>\n</dl>\n";
}

} // namespace

std::string html_sections(const Report& report, const SectionScope& scope) {
    return envelope(report, scope) + annotated_assembly(report, scope) + stack(report, scope) +
           compositions(report) + observations(report, scope) + inputs(report, scope);
}

std::string render_html(const Report& report) {
    const SectionScope top;
    return page(fmt::format("Timing report: {} on {}", report.kernel, report.architecture),
                summary(report) + how_to_read(report) + envelope(report, top) +
                    formulas(report, top) + annotated_assembly(report, top) + stack(report, top) +
                    claims(report) + observations(report, top) + inputs(report, top) +
                    closing(report));
}

} // namespace warpbound::certification
