/// \file
/// A pipeline report as one self-contained page: verdicts first, then each pipeline, then what
/// they share.
#include "certification/page/escape.hpp"
#include "certification/page/html_parts.hpp"
#include "certification/pipeline/exceedance_figure.hpp"
#include "certification/pipeline/job_timeline.hpp"
#include "certification/pipeline/pipeline_report.hpp"
#include "certification/pipeline/pipeline_wording.hpp"
#include "certification/pipeline/shared_sections.hpp"
#include "certification/pipeline/stage_diagram.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

using models::DeadlineVerdict;
using models::Nanoseconds;

std::string kind_words(const PipelineReport& report, std::size_t p) {
    const std::string kind = report.kind(p);
    if (kind == "hybrid-estimate") return "hybrid estimate: a time of a stage was measured";
    return kind == "no-upper-bound" ? "no upper bound" : "bound under assumptions";
}

std::string verdict_card(const PipelineReport& report, std::size_t p) {
    const auto& pipeline = report.system.pipelines[p];
    const auto verdict = report.verdict(p);
    if (report.is_refuted(p))
        return card(pipeline.name + ": refuted",
                    "A simulated latency lies outside the bounds: the description or this tool is "
                    "wrong.",
                    "refuted");
    if (!verdict) return card(pipeline.name + ": no verdict", "No deadline is stated.");
    std::string head = fmt::format("{}: {}", pipeline.name, verdict_phrase(report, p));
    if (*verdict == DeadlineVerdict::Met) head += ", " + margin_phrase(report, p);
    return card(
        head,
        fmt::format("{} deadline {}{}", pipeline.is_soft ? "soft" : "hard",
                    models::to_string(*pipeline.deadline),
                    *verdict == DeadlineVerdict::Met ? "" : "; " + margin_phrase(report, p)),
        *verdict == DeadlineVerdict::Met        ? "holds"
        : *verdict == DeadlineVerdict::Violated ? "refuted"
                                                : "undecided");
}

std::string latency_card(const PipelineReport& report, std::size_t p) {
    const auto& bounds = report.together.pipelines[p];
    const auto& alone = report.alone_of(p);
    std::string text =
        fmt::format("latency of {}, at least {}; {}", report.system.pipelines[p].name,
                    at_least_text(bounds.lower), kind_words(report, p));
    if (report.has_others() && alone.upper)
        text += fmt::format("; alone at most {}", at_most_text(*alone.upper));
    return card(bounds.upper ? "at most " + at_most_text(*bounds.upper) : "no upper bound", text);
}

std::string summary(const PipelineReport& report) {
    std::string out = fmt::format(
        "<h1>Pipelines: {}</h1>\n<p class=\"quiet\">{}{}{}</p>\n", escape(report.system.name),
        report.system.machine.empty() ? "" : "Machine " + escape(report.system.machine) + "; ",
        report.system.clock ? "clock " + escape(to_string(*report.system.clock)) + "; " : "",
        escape(contents_phrase(report.system)));
    out += "<div class=\"summary\">\n";
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p) {
        out += verdict_card(report, p) + latency_card(report, p);
        const auto& misses = report.misses[p];
        if (misses && misses->refusal.empty())
            out += card(fmt::format("{:.3g} missed", misses->value.value()),
                        fmt::format("share of the jobs of {}, at most: an estimate from samples; "
                                    "with {:.0f} % confidence at most {:.3g}",
                                    report.system.pipelines[p].name, 100 * misses->confidence,
                                    misses->upper.value()));
    }
    return out + "</div>\n";
}

std::string missing(const PipelineReport& report) {
    if (report.together.missing.empty() && report.together.refusal.empty()) return {};
    std::string items;
    for (const auto& what : report.together.missing)
        items += "<li>" + escape(what) + "</li>\n";
    return "<h2 id=\"missing\">Why there is no upper bound</h2>\n" +
           (report.together.refusal.empty()
                ? "<p>Together with the others there is none until this is stated:</p>\n<ol>\n" +
                      items + "</ol>\n"
                : "<p>" + escape(report.together.refusal) + ".</p>\n");
}

std::string budget_table(const PipelineReport& report, std::size_t p) {
    const auto& pipeline = report.system.pipelines[p];
    const auto& bounds = report.together.pipelines[p];
    std::string rows;
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& stage = pipeline.stages[i];
        rows += "<tr>" + cell(stage.name) + cell(server_name(report, stage)) +
                cell(std::string{to_string(stage.basis)} +
                     (stage.source.empty() ? "" : ": " + stage.source)) +
                cell(at_most_text(stage.time->upper().count()), true);
        if (bounds.upper) {
            const StageBudget budget = budget_of(report, p, i);
            rows +=
                cell(at_most_text(budget.queue), true) + cell(at_most_text(budget.memory), true) +
                cell(at_most_text(bounds.stages[i].end), true) +
                cell(budget.is_on_chain ? fmt::format("{:.1f} %", 100 * budget.share) : "-", true);
        } else {
            rows += cell("-", true) + cell("-", true) + cell("-", true) + cell("-", true);
        }
        rows += "</tr>\n";
    }
    std::string note = "Worst case of each stage.";
    if (bounds.upper && *bounds.upper > 0)
        note += fmt::format(" Shares are those of the chain that ends last; the jitter of the "
                            "release has {:.1f} %.",
                            100 * static_cast<double>(bounds.stages[bounds.chain.front()].latest) /
                                static_cast<double>(*bounds.upper));
    return table(note,
                 {{"stage", false},
                  {"server", false},
                  {"basis", false},
                  {"own time", true},
                  {"queue", true},
                  {"memory", true},
                  {"ends by", true},
                  {"share", true}},
                 rows);
}

std::string timelines(const PipelineReport& report, std::size_t p, const SectionScope& scope) {
    std::string out;
    const auto drawn = [&](auto&& draw, const std::string& caption) {
        return figure(draw(report, p, FigureSize::Wide), draw(report, p, FigureSize::Narrow),
                      caption);
    };
    if (report.together.pipelines[p].upper)
        out +=
            heading(scope, "worst", "Worst case of the bound") +
            drawn(bound_timeline, "From the latest arrival of each stage to its latest end. This "
                                  "is the bound, not a run: no job is slower in any stage.") +
            bound_legend();
    if (!report.observed.empty() && !report.observed[p].slowest.empty()) {
        const auto& seen = report.observed[p].latency;
        out += heading(scope, "slowest", "Slowest simulated job") +
               drawn(run_timeline,
                     fmt::format(
                         "{}: the slowest of {} simulated jobs; the fastest took {}, {} "
                         "were late; {}. Runs prefer extreme times: no rate follows from them.",
                         models::to_string(Nanoseconds{seen.worst}), seen.count,
                         models::to_string(Nanoseconds{seen.best}), report.observed[p].late,
                         comparison_phrase(report, p))) +
               run_legend() + heading(scope, "exceedance", "Simulated latencies") +
               drawn(exceedance_figure,
                     fmt::format("Of {} simulated jobs, the share that took longer than a time. "
                                 "Runs prefer extreme times: this is no probability of operation.",
                                 seen.count));
    }
    return out;
}

std::string pipeline_section(const PipelineReport& report, std::size_t p) {
    const auto& pipeline = report.system.pipelines[p];
    const SectionScope inner{3, fmt::format("p{}-", p + 1)};
    std::string out =
        heading({2, fmt::format("p{}-", p + 1)}, "pipeline", "Pipeline " + pipeline.name) +
        fmt::format("<p>Jobs come {}.{}</p>\n", escape(releases_phrase(pipeline)),
                    pipeline.overlaps ? "" : " A job starts when the one before has ended.");
    out += figure(stage_diagram(report, p, FigureSize::Wide),
                  stage_diagram(report, p, FigureSize::Narrow),
                  report.together.pipelines[p].upper
                      ? "Stages with their longest own times; thick: the chain that ends last."
                      : "Stages with their longest own times.");
    out += timelines(report, p, inner);
    out += heading(inner, "budget", "Latency budget") + budget_table(report, p);
    return out + misses_section(report, p, inner);
}

} // namespace

std::string render_html(const PipelineReport& report) {
    std::string body = summary(report) + missing(report);
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p)
        body += pipeline_section(report, p);
    return page("Pipelines: " + report.system.name, body + shared_sections(report));
}

} // namespace warpbound::certification
