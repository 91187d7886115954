/// \file
/// A pipeline report as text: latency, verdict and margin of each pipeline, then why.
#include "certification/pipeline/pipeline_report.hpp"
#include "certification/pipeline/pipeline_wording.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

using models::Nanoseconds;
using models::Pipeline;

std::string verdict_rows(const PipelineReport& report, std::size_t p) {
    const Pipeline& pipeline = report.system.pipelines[p];
    const auto verdict = report.verdict(p);
    if (!verdict) return "verdict    none: no deadline is stated\n";
    const auto& misses = report.misses[p];
    std::string soft;
    if (pipeline.is_soft)
        soft = fmt::format("; soft, tolerated misses {}{}",
                           pipeline.tolerated_miss_rate.empty() ? "not stated"
                                                                : pipeline.tolerated_miss_rate,
                           misses ? "" : ": not estimated without <samples>");
    std::string text = fmt::format("deadline   {:>12}   {}{}\nverdict    {}\n",
                                   models::to_string(*pipeline.deadline), margin_phrase(report, p),
                                   soft, verdict_phrase(report, p));
    if (!misses) return text;
    const std::string tolerance = tolerance_phrase(pipeline, *misses);
    return text + fmt::format("misses     {}{}{}\n", misses_phrase(*misses),
                              tolerance.empty() ? "" : "; ", tolerance);
}

std::string stage_rows(const PipelineReport& report, std::size_t p) {
    const Pipeline& pipeline = report.system.pipelines[p];
    const auto& bounds = report.together.pipelines[p];
    std::string text = fmt::format("why        {:<14} {:<22} {:>11} {:>11} {:>11} {:>12}\n",
                                   "stage", "server", "own time", "queue", "memory", "ends by");
    for (std::size_t i = 0; i < pipeline.stages.size(); ++i) {
        const auto& stage = pipeline.stages[i];
        const StageBudget budget = bounds.upper ? budget_of(report, p, i) : StageBudget{};
        const auto shown = [&](std::int64_t time) {
            return bounds.upper ? at_most_text(time) : std::string{"-"};
        };
        text += fmt::format("         {} {:<14} {:<22} {:>11} {:>11} {:>11} {:>12}\n",
                            budget.is_on_chain ? '*' : ' ', stage.name, server_name(report, stage),
                            at_most_text(stage.time->upper().count()), shown(budget.queue),
                            shown(budget.memory), shown(bounds.stages[i].end));
    }
    return text;
}

std::string pipeline_text(const PipelineReport& report, std::size_t p) {
    const Pipeline& pipeline = report.system.pipelines[p];
    const auto& bounds = report.together.pipelines[p];
    std::string text =
        fmt::format("\npipeline   {}: {}\n", pipeline.name, releases_phrase(pipeline));
    const auto& alone = report.alone_of(p);
    const std::string beside = !report.has_others() ? ""
                                                    : "   together with the others; alone " +
                                                          (alone.upper ? at_most_text(*alone.upper)
                                                                       : std::string{"no bound"});
    text += fmt::format("at most    {:>12}{}\n",
                        bounds.upper ? at_most_text(*bounds.upper) : "no bound", beside);
    text += fmt::format("at least   {:>12}\n", at_least_text(bounds.lower));
    text += verdict_rows(report, p);
    if (report.kind(p) == "hybrid-estimate")
        text += fmt::format("kind       {}: a time of a stage was measured, not proved\n",
                            report.kind(p));
    if (!report.observed.empty()) {
        const auto& seen = report.observed[p];
        text += fmt::format("simulated  {} to {} in {} jobs, {} late; {}\n",
                            models::to_string(Nanoseconds{seen.latency.best}),
                            models::to_string(Nanoseconds{seen.latency.worst}), seen.latency.count,
                            seen.late, comparison_phrase(report, p));
    }
    return text + stage_rows(report, p);
}

std::string sensitivity_text(const PipelineReport& report) {
    if (!report.wants_sensitivity) return {};
    if (!report.sensitivity)
        return "\nsensitivity  none: not every pipeline with a deadline meets it, or none has "
               "one\n";
    std::string text = "\nsensitivity: each change alone leaves all deadlines met\n";
    const auto& system = report.system;
    for (const auto& slack : report.sensitivity->stages) {
        const auto& pipeline = system.pipelines[slack.pipeline];
        text += fmt::format("  {:<30} from {:>12} to {:>12}{}\n",
                            pipeline.name + "/" + pipeline.stages[slack.stage].name,
                            models::to_string(Nanoseconds{slack.now}), at_least_text(slack.most),
                            slack.is_open ? " and more" : "");
    }
    for (const auto& slack : report.sensitivity->rates)
        text += fmt::format("  {:<30} from {:>12} to {:>12}\n",
                            system.pipelines[slack.pipeline].name + ", distance",
                            models::to_string(Nanoseconds{slack.now}), at_most_text(slack.least));
    if (report.sensitivity->lowest_clock)
        text += fmt::format("  {:<30} from {:>12} to {:>12}\n", "lowest clock",
                            fmt::format("{} kHz", system.clock->lo / 1000),
                            fmt::format("{} kHz", *report.sensitivity->lowest_clock / 1000 + 1));
    return text;
}

std::string servers_text(const PipelineReport& report) {
    std::string text = "\nserver                 order     in use (operations and others' memory "
                       "traffic)\n";
    for (std::size_t i = 0; i < report.system.servers.size(); ++i)
        text += fmt::format("{:<22} {:<9} {}\n", report.system.servers[i].name,
                            to_string(report.system.servers[i].order), in_use_phrase(report, i));
    return text;
}

} // namespace

std::string render_text(const PipelineReport& report, bool quiet) {
    const auto& system = report.system;
    std::string text = fmt::format("system     {}: {}\n", system.name, contents_phrase(system));
    if (!system.machine.empty()) text += fmt::format("machine    {}\n", system.machine);
    if (system.clock) text += fmt::format("clock      {}\n", to_string(*system.clock));
    if (report.is_refuted()) text += "\nREFUTED: a simulated latency lies outside its bounds\n";
    for (std::size_t p = 0; p < system.pipelines.size(); ++p)
        text += pipeline_text(report, p);
    if (!report.together.refusal.empty())
        text += fmt::format("\nno upper bound: {}\n", report.together.refusal);
    if (!report.together.missing.empty()) {
        text += "\nno upper bound together with the others; stated must be\n";
        for (std::size_t i = 0; i < report.together.missing.size(); ++i)
            text += fmt::format("{:>3}  {}\n", i + 1, report.together.missing[i]);
    }
    text += sensitivity_text(report);
    if (quiet) return text;
    text += servers_text(report);
    text +=
        fmt::format("\nassumptions ({}, all unchecked unless marked)\n", report.assumptions.size());
    for (const auto& assumption : report.assumptions)
        text +=
            fmt::format("  {:<4} {}{}{}\n", assumption.id,
                        assumption.stages.empty() ? "" : stages_phrase(assumption.stages) + ": ",
                        assumption.text,
                        assumption.status == analyzer::AssumptionStatus::Unchecked
                            ? ""
                            : fmt::format(" ({})", to_string(assumption.status)));
    return text;
}

} // namespace warpbound::certification
