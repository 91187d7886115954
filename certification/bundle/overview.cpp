/// \file
/// The page of a bundle.
#include "certification/bundle/claims_json.hpp"
#include "certification/bundle/evidence_report.hpp"
#include "certification/bundle/review_form.hpp"
#include "certification/page/chart.hpp"
#include "certification/report/assumptions_html.hpp"
#include "certification/report/report_html.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::certification {

namespace {

/// Its title; with its label unless the description is a shipped one.
std::string machine_words(const Json& architecture) {
    const std::string name = text(architecture, "name");
    const std::string title = text(architecture, "title");
    return name.find(" (") == std::string::npos ? title : title + ": " + name;
}

std::string row(const std::vector<std::string>& cells) {
    std::string out = "<tr>";
    for (const auto& part : cells)
        out += part;
    return out + "</tr>\n";
}

std::string linked(const std::string& path, const std::string& words) {
    return fmt::format("<td><a href=\"{}\">{}</a></td>", escape(path), escape(words));
}

/// "at most 7973, 5.015 µs (bound under assumptions, 13 unchecked)"
std::string bound_words(const Json& claim) {
    const bool upper = claim.at("side") == "upper";
    std::string time;
    if (claim.contains("time-ns"))
        time = ", " + time_text(models::Nanoseconds{claim.at("time-ns").get<std::int64_t>()},
                                upper ? analyzer::Side::Upper : analyzer::Side::Lower);
    const std::string kind =
        claim.at("kind") == "proved-bound" ? "proved bound" : "bound under assumptions";
    return fmt::format("{} {}{} ({}, {} unchecked)", upper ? "at most" : "at least",
                       number(claim, "value"), time, kind, number(claim, "unchecked-assumptions"));
}

std::string summary_of(const Json& claims) {
    std::size_t met = 0;
    for (const auto& requirement : claims.at("requirements"))
        met += requirement.at("verdict") == "met" ? 1U : 0U;
    std::int64_t seen = 0;
    std::int64_t outside = 0;
    for (const auto& claim : claims.at("claims"))
        if (claim.at("kind") == "observed") {
            seen += claim.at("count").get<std::int64_t>();
            outside += claim.at("outside-bounds").get<std::int64_t>();
        }
    const std::string verdict = text(claims, "verdict");
    std::string cards =
        card(verdict,
             verdict == "none" ? "verdict: no requirement was stated" : "verdict over all kernels",
             verdict == "holds"      ? "holds"
             : verdict == "violated" ? "refuted"
                                     : "");
    const std::size_t kernels = claims.at("kernels").size();
    cards += card(std::to_string(kernels), kernels == 1 ? "kernel" : "kernels");
    if (!claims.at("requirements").empty())
        cards += card(fmt::format("{} of {}", met, claims.at("requirements").size()),
                      "requirements met by upper bounds");
    cards += card(fmt::format("{} of {}", outside, seen), "observed times outside the bounds");
    cards += card(number(claims, "unchecked-assumptions"), "unchecked assumptions");
    return "<div class=\"summary\">\n" + cards + "</div>\n";
}

std::string kernels_of(const Json& claims) {
    std::string rows;
    for (const auto& kernel : claims.at("kernels")) {
        const std::string id = text(kernel, "id");
        std::map<std::string, std::string> words; // lower, upper, observed
        for (const auto& claim : claims.at("claims")) {
            if (claim.at("kernel") != id || claim.at("quantity") != "execution-time") continue;
            if (claim.at("kind") == "observed")
                words["observed"] = fmt::format("{} to {} in {} times on {}", number(claim, "best"),
                                                number(claim, "worst"), number(claim, "count"),
                                                text(claim, "device"));
            else
                words[text(claim, "side")] = bound_words(claim);
        }
        rows += row({linked("#" + id, id + " " + text(kernel, "kernel")),
                     cell(machine_words(kernel.at("architecture"))),
                     cell(text(kernel, "launch") + ", " + text(kernel, "policy")),
                     cell(words["upper"]), cell(words["lower"]),
                     cell(words["observed"].empty() ? "none" : words["observed"])});
    }
    return heading({}, "guaranteed", "Guaranteed and observed times") +
           table("Execution time of a launch, core cycles",
                 {{"kernel", false},
                  {"machine", false},
                  {"launch, policy", false},
                  {"upper bound", false},
                  {"lower bound", false},
                  {"observed", false}},
                 rows);
}

std::string requirements_of(const Json& claims) {
    if (claims.at("requirements").empty()) return "";
    std::string rows;
    for (const auto& requirement : claims.at("requirements")) {
        rows +=
            row({cell(text(requirement, "id") + " " + text(requirement, "text")),
                 cell(requirement.value("kernel", std::string{"no kernel"}) + " " +
                      text(requirement, "kernel-name")),
                 cell(text(requirement, "quantity")), cell(amount(requirement, "at-most"), true),
                 cell(amount(requirement, "proved-upper-bound"), true),
                 cell(amount(requirement, "margin"), true), cell(text(requirement, "verdict"))});
    }
    return heading({}, "requirements", "Requirements") +
           "<p>Met: the upper bound is at most the budget. Violated: a lower bound "
           "or "
           "an observation is above it. Undecided: neither.</p>\n" +
           table("Requirements with their margins; those in seconds hold at the stated clock",
                 {{"requirement", false},
                  {"kernel", false},
                  {"quantity", false},
                  {"budget", true},
                  {"upper bound", true},
                  {"margin", true},
                  {"verdict", false}},
                 rows);
}

/// Rows from requirement to kernel, claim and evidence.
std::string traceability_of(const Json& claims) {
    std::string rows;
    for (const auto& claim : claims.at("claims")) {
        std::string files;
        for (const auto& evidence : claim.at("evidence"))
            files += (files.empty() ? "" : ", ") + text(evidence, "path");
        const auto asked_by = requirements_on(claims, claim);
        rows += row({cell(asked_by.empty() ? "none" : joined(asked_by, ", ")),
                     linked("#" + text(claim, "kernel"), text(claim, "kernel")),
                     cell(text(claim, "id")), cell(files)});
    }
    for (const auto& requirement : claims.at("requirements"))
        if (!requirement.contains("kernel"))
            rows +=
                row({cell(text(requirement, "id")),
                     cell("none: " + text(requirement, "kernel-name") + " is not in the bundle"),
                     cell("none"), cell("none")});
    return heading({}, "traceability", "Traceability") +
           table("From requirement through kernel and claim to the files of evidence",
                 {{"requirement", false}, {"kernel", false}, {"claim", false}, {"evidence", false}},
                 rows);
}

std::string policies_of(const KernelEvidence& kernel) {
    const std::string title = heading({3, kernel.id + "-"}, "policies", "Scheduler comparison");
    if (kernel.policies.empty())
        return title + "<p>The launch has one warp: every policy issues it alike, so all bounds "
                       "are the same.</p>\n";
    std::string rows;
    for (const auto& one : kernel.policies) {
        const std::string name = one.policy + (one.is_own ? " (this launch)" : "");
        if (!one.bounds) {
            rows += row({cell(name), cell(one.guarantee),
                         "<td colspan=\"4\">not bounded: " + escape(one.refusal) + "</td>"});
            continue;
        }
        const auto lower = one.bounds->lower().count();
        const auto upper = one.bounds->upper().count();
        rows += row(
            {cell(name), cell(one.guarantee), cell(std::to_string(lower), true),
             cell(std::to_string(upper), true),
             cell(fmt::format("{:.3f}", static_cast<double>(lower) /
                                            static_cast<double>(std::max<std::int64_t>(1, upper))),
                  true),
             cell(std::to_string(one.unchecked_assumptions), true)});
    }
    return title +
           "<p>What each policy would guarantee for the same launch. Predictability is the lower "
           "bound over the upper bound: 1 when every run takes the same time. <code>warpbound "
           "schedulers</code> adds observed times under each policy.</p>\n" +
           table("Bounds on the execution time, core cycles",
                 {{"policy", false},
                  {"guarantee", false},
                  {"lower", true},
                  {"upper", true},
                  {"predictability", true},
                  {"unchecked assumptions", true}},
                 rows);
}

std::string without_evidence_of(const Report& report) {
    if (!report.without_evidence) return "";
    return fmt::format("<p>The claims are sums of path bounds, each with a certificate that "
                       "<code>verify</code> checks. <code>analyze</code> finds at least {} and at "
                       "most {} core cycles, for which this bundle keeps no evidence.</p>\n",
                       report.without_evidence->lower().count(),
                       report.without_evidence->upper().count());
}

std::string traced_facts_of(const KernelEvidence& kernel) {
    if (kernel.traced_facts.empty()) return "";
    std::string rows;
    for (std::size_t trace = 0; trace < kernel.traced_facts.size(); ++trace)
        for (const auto& check : kernel.traced_facts[trace])
            rows += row({cell(trace_path(kernel.id, trace)), cell(check.fact),
                         cell(std::to_string(check.cases), true),
                         cell(std::to_string(check.open), true)});
    return heading({3, kernel.id + "-"}, "traced", "Flow facts against recorded executions") +
           "<p>No recorded execution contradicts a fact; other executions might. A case is open "
           "where the count includes blocks whose instructions may all be predicated off.</p>\n" +
           table("Cases that each fact was checked against",
                 {{"trace", false}, {"fact", false}, {"cases", true}, {"open", true}}, rows);
}

std::string kernel_in_detail(const KernelEvidence& kernel) {
    const Report& report = kernel.report;
    return fmt::format("<section aria-labelledby=\"{0}\">\n<h2 id=\"{0}\">{0} {1} on {2}</h2>\n"
                       "<p class=\"quiet\">{3}; {4} code; launch {5} (blocks x threads), policy "
                       "{6}. Machine: {7}.</p>\n",
                       kernel.id, escape(report.kernel), escape(report.architecture),
                       escape(report.architecture_title), escape(report.isa), launch_text(report),
                       escape(report.policy), models::to_string(report.coverage)) +
           without_evidence_of(report) + html_sections(report, {3, kernel.id + "-"}) +
           traced_facts_of(kernel) + policies_of(kernel) + "</section>\n";
}

std::string measurements_of(const std::vector<KernelEvidence>& kernels,
                            const BundleInputs& inputs) {
    std::string rows;
    for (std::size_t i = 0; i < kernels.size(); ++i)
        for (const auto& series : inputs.kernels[i].series)
            rows += row({cell(kernels[i].id), cell(series.key.quantity), cell(series.key.device),
                         cell(series.key.device_detail), cell(series.key.protocol),
                         cell(std::to_string(series.samples.size()), true)});
    if (rows.empty())
        return heading({}, "measurements", "Measurement protocol and device state") +
               "<p>The bundle contains no measurement.</p>\n";
    return heading({}, "measurements", "Measurement protocol and device state") +
           "<p>Every recorded run is included, in the order of recording. The state of a "
           "simulated device is its description, its policy and the seed of each run; it has no "
           "clocks, temperature or driver.</p>\n" +
           table("Measured series with device and protocol",
                 {{"kernel", false},
                  {"quantity", false},
                  {"device", false},
                  {"state", false},
                  {"protocol", false},
                  {"runs", true}},
                 rows);
}

/// How a bound was proved, and whether the addresses of accesses are part of it.
std::string proof_text(const Json& proof) {
    const bool by_addresses =
        (proof.contains("queueing") && proof.at("queueing").value("addresses", true)) ||
        proof.contains("by-addresses") || proof.contains("loaded-data");
    return text(proof, "rule") + (by_addresses ? ", by addresses" : "");
}

std::string claims_of(const Json& claims) {
    std::string rows;
    for (const auto& claim : claims.at("claims")) {
        const bool observed = claim.at("kind") == "observed";
        std::string files;
        for (const auto& evidence : claim.at("evidence"))
            files += (files.empty() ? "" : ", ") + text(evidence, "path");
        std::vector<std::string> rests;
        for (const auto& assumption : claim.at("assumptions"))
            rests.push_back(assumption.get<std::string>());
        rows += row(
            {cell(text(claim, "id")), cell(text(claim, "quantity")),
             cell(observed ? fmt::format("{} to {}", number(claim, "best"), number(claim, "worst"))
                           : bound_words(claim)),
             cell(text(claim, "kind")), cell(observed ? "recorded" : proof_text(claim.at("proof"))),
             cell(joined(rests, ", ")), cell(files)});
    }
    return heading({}, "claims", "Claims") +
           table("Every number with its kind, proof, assumptions and evidence",
                 {{"claim", false},
                  {"quantity", false},
                  {"core cycles", false},
                  {"kind", false},
                  {"proof", false},
                  {"rests on", false},
                  {"evidence", false}},
                 rows);
}

/// The values of all descriptions that the register is about, each path once per machine.
std::vector<MachineValue> machine_values_of(const std::vector<KernelEvidence>& kernels) {
    std::vector<MachineValue> values;
    std::set<std::string> known;
    const bool several = std::any_of(kernels.begin(), kernels.end(), [&](const auto& kernel) {
        return kernel.report.architecture != kernels.front().report.architecture;
    });
    for (const auto& kernel : kernels)
        for (MachineValue value : kernel.report.machine_values) {
            if (several) value.path = kernel.report.architecture + ": " + value.path;
            if (known.insert(value.path).second) values.push_back(std::move(value));
        }
    return values;
}

std::string assumptions_of(const Json& claims, const std::vector<KernelEvidence>& kernels) {
    std::vector<RegisterRow> rows;
    for (const auto& assumption : claims.at("assumptions")) {
        std::vector<std::string> dependents;
        for (const auto& claim : assumption.at("claims"))
            dependents.push_back(claim.get<std::string>());
        rows.push_back(
            {.id = text(assumption, "id"),
             .subject = text(assumption, "about"),
             .status = text(assumption, "status"),
             .text = text(assumption, "text"),
             .claims = dependents.empty() ? "times in seconds" : joined(dependents, ", ")});
    }
    std::vector<std::string> limitations;
    for (const auto& limit : claims.at("limitations"))
        limitations.push_back(limit.get<std::string>());
    return heading({}, "assumptions", "Assumptions") +
           "<p>A reviewer confirms or denies each of these statements. A bound is void when one of "
           "its assumptions is false. They stand in groups, by who can confirm them.</p>\n" +
           assumption_groups(rows, machine_values_of(kernels), limitations, {});
}

constexpr const char* reading = R"html(<h2 id="read">How to read it</h2>
<p>A <b>bound</b> is proved from the listing, the machine description and the flow facts: no run is outside it as long as its assumptions
hold. An <b>observed</b> time was recorded; it proves nothing about other runs, but a time outside a bound refutes the bound. The gap between
bound and worst observed time is pessimism of the analysis or a worst case that was not observed.</p>
<p>This page can be checked independently: <code>warpbound verify</code> on the folder checks every digest, the control flow, the path certificates,
the sums, the solver's answers and every recorded time, and rebuilds the whole bundle. Compare the report id with the one published for the
reviewed bundle to detect a replaced folder.</p>
)html";

constexpr const char* glossary = R"html(<h2 id="glossary">Glossary</h2>
<dl><dt>core cycle</dt><dd>One cycle of the multiprocessor's clock. Times in seconds rest on the range of its frequency, which the register of assumptions names.</dd>
<dt>execution time</dt><dd>From the first cycle in which the launch may issue to its completion, on as many multiprocessors as it names (else one).</dd>
<dt>measured time</dt><dd>Difference of two reads of the clock by one warp.</dd>
<dt>launch</dt><dd>Blocks x threads per block.</dd>
<dt>worst-case path</dt><dd>The path of one warp whose cost is its upper bound.</dd>
<dt>requirement</dt><dd>A time budget for a quantity of a kernel, given by the user.</dd>
<dt>policy</dt><dd>How a warp scheduler chooses among the warps that may issue.</dd>
<dt>path certificate</dt><dd>A table of path costs that proves a bound on the cost of all paths; a bound on the launch is a sum of such bounds.</dd></dl>
)html";

} // namespace

std::string evidence_page(const Json& claims, const std::vector<KernelEvidence>& kernels,
                          const BundleInputs& inputs) {
    const auto& first = claims.at("kernels").front();
    std::string title = "Timing evidence: " + text(first, "kernel") + " on " +
                        machine_words(first.at("architecture"));
    if (claims.at("kernels").size() > 1)
        title = fmt::format("Timing evidence for {} kernels", claims.at("kernels").size());
    std::string details;
    for (const auto& kernel : kernels)
        details += kernel_in_detail(kernel);
    return page(title, "<h1>" + escape(title) + "</h1>\n" + summary_of(claims) +
                           kernels_of(claims) + requirements_of(claims) + reading +
                           claims_of(claims) + assumptions_of(claims, kernels) + details +
                           measurements_of(kernels, inputs) + traceability_of(claims) +
                           review_form(claims) + glossary);
}

} // namespace warpbound::certification
