/// \file
/// The sections of a report that its own page and that of a bundle show.
#include "certification/page/chart.hpp"
#include "certification/report/bound_choices.hpp"
#include "certification/report/report_html.hpp"
#include "certification/report/term_meaning.hpp"
#include "certification/report/wording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace warpbound::certification {

namespace {

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

/// An empty cell of the column of times, where there is one.
std::string no_time(const Report& report) {
    return report.clock ? cell("", true) : "";
}

std::string time_cell(const Report& report, const Claim& claim) {
    const auto time = report.time_of(claim);
    return time ? cell(time_text(*time, claim.side), true) : no_time(report);
}

/// Of an observed number of cycles: its range at the clock in use.
std::string time_cell(const Report& report, std::int64_t observed) {
    if (!report.clock) return {};
    const models::Cycles cycles{observed};
    const std::string least =
        time_text(models::shortest_time(cycles, report.clock->range), analyzer::Side::Lower);
    const std::string most =
        time_text(models::longest_time(cycles, report.clock->range), analyzer::Side::Upper);
    return cell(least == most ? most : least + " to " + most, true);
}

std::string share_text(std::int64_t part, std::int64_t whole) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(part) /
                                       static_cast<double>(std::max<std::int64_t>(1, whole)));
}

std::string envelope(const Report& report, const SectionScope& scope) {
    std::string out = heading(scope, "envelope", "Envelope");
    for (const auto& quantity : quantities_of(report)) {
        const std::string drawing = envelope_figure(report, quantity, FigureSize::Wide);
        if (drawing.empty()) continue;
        const bool observed =
            std::any_of(report.observations.begin(), report.observations.end(),
                        [&](const ObservedTimes& times) { return times.quantity == quantity; });
        out += figure(
            drawing, envelope_figure(report, quantity, FigureSize::Narrow),
            fmt::format(
                "Bounds (solid lines), estimates (dashed lines){} of the {}{}{}",
                report.deadline && quantity == "execution-time" ? ", deadline (dotted line)" : "",
                quantity_phrase(quantity),
                observed ? " over a histogram of the observed times" : "; it was not observed",
                report.clock ? "; the lower scale is the time at the lowest clock" : ""));
        std::string rows;
        for (const auto& claim : report.claims)
            if (claim.quantity == quantity)
                rows += "<tr>" + cell(std::string{side_name(claim.side)} + " bound") +
                        cell(std::to_string(claim.value), true) + time_cell(report, claim) +
                        cell("1", true) + "</tr>\n";
        for (const auto& estimate : report.estimates)
            if (estimate.quantity == quantity && estimate.unit == "cycles" &&
                estimate.refusal.empty())
                rows += "<tr>" + cell(estimate.model + " " + estimate.variant + " (estimate)") +
                        cell(fmt::format("{:.1f}", estimate.value), true) + no_time(report) +
                        cell("1", true) + "</tr>\n";
        for (const auto& times : report.observations)
            if (times.quantity == quantity)
                for (const auto& [value, count] : times.values)
                    rows += "<tr>" + cell("observed") + cell(std::to_string(value), true) +
                            time_cell(report, value) + cell(std::to_string(count), true) +
                            "</tr>\n";
        Columns columns{{"value", false}, {"cycles", true}};
        if (report.clock) columns.emplace_back("time", true);
        columns.emplace_back("count", true);
        out += "<details><summary>Table of this figure</summary>" +
               sortable_table("Bounds, estimates and distinct observed values", columns, rows) +
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

/// The columns of a table of the worst-case path; "source" only where a line of the source is
/// known.
Columns path_columns(const char* first, bool with_source) {
    Columns columns{{first, false}};
    if (with_source) columns.emplace_back("source", false);
    columns.insert(columns.end(), {{"executions", true}, {"cycles", true}, {"share", true}});
    return columns;
}

template <typename Lines> bool has_source(const Lines& lines) {
    return std::any_of(lines.begin(), lines.end(),
                       [](const auto& line) { return !line.source.empty(); });
}

std::string instruction_rows(const Report& report, std::int64_t total, bool with_source) {
    std::int64_t hottest = 1;
    for (const auto& line : report.assembly)
        hottest = std::max(hottest, line.cycles);
    std::string rows;
    for (const auto& line : report.assembly) {
        const bool executed = line.executions != 0;
        const double heat = 0.55 * static_cast<double>(line.cycles) / static_cast<double>(hottest);
        rows += fmt::format(
            "<tr class=\"{}{}\"{}>", line.block_start ? "start" : "", executed ? "" : " idle",
            line.cycles > 0 ? fmt::format(" style=\"background: rgba(var(--heat), {:.3f})\"", heat)
                            : "");
        rows += cell(address_text(line.address)) + (with_source ? cell(line.source) : "") +
                cell(executed ? std::to_string(line.executions) : "", true) +
                cell(executed ? std::to_string(line.cycles) : "", true) +
                cell(executed ? share_text(line.cycles, total) : "", true) + cell(line.text) +
                "</tr>\n";
    }
    return rows;
}

/// The cycles of the worst-case path by line of the source. Empty where no line is known.
std::string source_lines(const Report& report, std::int64_t total) {
    std::map<std::string, std::int64_t> cycles;
    for (const auto& line : report.assembly)
        if (line.cycles != 0) cycles[line.source] += line.cycles;
    if (!has_source(report.assembly)) return {};
    std::vector<std::pair<std::string, std::int64_t>> sorted{cycles.begin(), cycles.end()};
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::string rows;
    for (const auto& [source, sum] : sorted)
        rows += "<tr>" + cell(source.empty() ? "unknown" : source) +
                cell(std::to_string(sum), true) + cell(share_text(sum, total), true) + "</tr>\n";
    return sortable_table("Lines of the source on the worst-case path, the most expensive first",
                          {{"source", false}, {"cycles", true}, {"share", true}}, rows);
}

std::string annotated_assembly(const Report& report, const SectionScope& scope) {
    std::int64_t total = 0;
    for (const auto& line : report.assembly)
        total += line.cycles;
    const bool with_source = has_source(report.assembly);
    Columns columns = path_columns("address", with_source);
    columns.emplace_back("instruction", false);
    const bool blocks_have_source = has_source(report.worst_path);
    std::string blocks;
    for (const auto& block : report.worst_path)
        blocks += "<tr>" + cell(address_text(block.address)) +
                  (blocks_have_source ? cell(block.source) : "") +
                  cell(std::to_string(block.count), true) +
                  cell(std::to_string(block.cycles), true) +
                  cell(share_text(block.cycles, total), true) + "</tr>\n";
    return heading(scope, "assembly", "Worst-case path on the assembly") +
           "<p>The cycles of an instruction are the time from the previous issue to its own issue, "
           "summed over its executions on the worst-case path. The stronger the background colour, "
           "the more cycles; grey lines are not on the path.</p>\n" +
           source_lines(report, total) + "<div class=\"code\">" +
           sortable_table(
               "Instructions in address order; a rule marks the first instruction of a basic block",
               columns, instruction_rows(report, total, with_source)) +
           "</div>\n<details><summary>Basic blocks of the worst-case path</summary>" +
           sortable_table("Basic blocks in address order; cycles are summed over their executions",
                          path_columns("block", blocks_have_source), blocks) +
           "</details>\n";
}

std::string stack(const Report& report, const SectionScope& scope) {
    const std::string drawing = stack_figure(report, FigureSize::Wide);
    if (drawing.empty()) return {};
    std::string rows;
    const std::int64_t total = stack_total(report);
    for (std::size_t i = 0; i < report.stack.size(); ++i)
        rows += fmt::format(
            "<tr><td><svg class=\"key\" viewBox=\"0 0 10 10\" aria-hidden=\"true\"><rect "
            "class=\"{}\" width=\"10\" height=\"10\"/></svg>{}</td>{}{}</tr>\n",
            stack_class(i), escape(report.stack[i].first),
            cell(std::to_string(report.stack[i].second), true),
            cell(share_text(report.stack[i].second, total), true));
    rows +=
        "<tr>" + cell("sum") + cell(std::to_string(total), true) + cell("100 %", true) + "</tr>\n";
    return heading(scope, "stack", "Where the cycles go") +
           figure(drawing, stack_figure(report, FigureSize::Narrow),
                  fmt::format("CPI stack: the {} cycles of the worst-case path by cause of the "
                              "wait; the table is the legend",
                              total)) +
           table("Cycles of the worst-case path by cause of the wait",
                 {{"category", false}, {"cycles", true}, {"share", true}}, rows);
}

/// A sentence on a term or proof with its section of the theory.
std::string meaning_cell(const TermMeaning& meaning) {
    if (meaning.sentence.empty()) return "<td></td>";
    return fmt::format("<td>{} <span class=\"quiet\">(docs/theory, {})</span></td>",
                       escape(std::string{meaning.sentence}), meaning.theory);
}

/// A term with the id of its certificate.
std::string term_cell(const analyzer::BoundTerm& term) {
    if (term.certificate.empty()) return cell(term.text);
    return fmt::format("<td>{} <span class=\"quiet\"><code>{}</code></span></td>",
                       escape(term.text), escape(term.certificate));
}

/// Which sum was chosen, and what the others gave. A lower bound that is not positive says nothing.
std::string choice_table(const BoundChoice& choice, const std::string& claim) {
    std::string rows;
    for (const ChoicePart& other : choice.others)
        if (other.cycles > 0)
            rows += "<tr>" + cell(part_text(other)) + cell(std::to_string(other.cycles), true) +
                    "</tr>\n";
    if (rows.empty()) return {};
    return fmt::format("<details><summary>Claim {}: {}</summary>", claim,
                       escape(choice_text(choice))) +
           table(fmt::format("The bounds beside claim {} that were not chosen", claim),
                 {{"bound", false}, {"cycles", true}}, rows) +
           "</details>\n";
}

/// Each bound that is a sum, with its terms and the sums among which it was chosen.
std::string sums(const Report& report) {
    std::string all;
    for (const auto& claim : report.claims) {
        if (claim.terms.empty()) continue;
        std::string terms;
        for (const auto& term : claim.terms)
            terms += "<tr>" + term_cell(term) + cell(std::to_string(term.count), true) +
                     cell(std::to_string(term.cycles), true) +
                     cell(std::to_string(term.count * term.cycles), true) +
                     meaning_cell(meaning_of_term(term.text)) + "</tr>\n";
        terms += "<tr>" + cell("sum") + cell("", true) + cell("", true) +
                 cell(std::to_string(claim.value), true) +
                 meaning_cell(meaning_of_proof(claim.proof)) + "</tr>\n";
        all += table(
            fmt::format("How claim {}, the {} bound, adds up", claim.id, side_name(claim.side)),
            {{"term", false},
             {"count", true},
             {"cycles", true},
             {"product", true},
             {"what it is", false}},
            terms);
        for (const BoundChoice& choice : choices_of(claim))
            all += choice_table(choice, claim.id);
    }
    return all;
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

} // namespace

std::string html_section(const Report& report, const SectionScope& scope, ReportSection section) {
    switch (section) {
    case ReportSection::Envelope:
        return envelope(report, scope);
    case ReportSection::Path:
        return annotated_assembly(report, scope) + stack(report, scope);
    case ReportSection::Sums:
        return sums(report);
    case ReportSection::Observed:
        return observations(report, scope);
    case ReportSection::Inputs:
        break;
    }
    return inputs(report, scope);
}

std::string html_sections(const Report& report, const SectionScope& scope) {
    std::string out;
    for (const auto section : {ReportSection::Envelope, ReportSection::Path, ReportSection::Sums,
                               ReportSection::Observed, ReportSection::Inputs})
        out += html_section(report, scope, section);
    return out;
}

} // namespace warpbound::certification
