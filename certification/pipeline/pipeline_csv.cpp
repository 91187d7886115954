/// \file
/// A pipeline report as CSV: a row per stage. What is unknown is an empty cell.
#include "assembly/support/csv_cell.hpp"
#include "certification/pipeline/pipeline_report.hpp"
#include "certification/pipeline/pipeline_wording.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

std::string stage_row(const PipelineReport& report, std::size_t p, std::size_t i) {
    const auto& pipeline = report.system.pipelines[p];
    const auto& stage = pipeline.stages[i];
    const auto& bounds = report.together.pipelines[p];
    std::string row =
        fmt::format("{},{},{},{},{},{},{},{},{},", csv_cell(pipeline.name), csv_cell(stage.name),
                    to_string(stage.kind), csv_cell(server_name(report, stage)),
                    csv_cell(stage.stream), to_string(stage.basis), stage.time->lower().count(),
                    stage.time->upper().count(), bounds.stages[i].earliest);
    if (bounds.upper) {
        const StageBudget budget = budget_of(report, p, i);
        const auto& found = bounds.stages[i];
        row += fmt::format("{},{},{},{},{},{},{},", found.latest, budget.queue, budget.memory,
                           found.response, found.end, budget.is_on_chain ? "yes" : "no",
                           budget.is_on_chain ? fmt::format("{:.4f}", budget.share) : "");
    } else {
        row += ",,,,,,,";
    }
    const auto verdict = report.verdict(p);
    return row + fmt::format("{},{},{},{},{}\n", bounds.lower,
                             bounds.upper ? fmt::format("{}", *bounds.upper) : "",
                             pipeline.deadline ? fmt::format("{}", pipeline.deadline->count()) : "",
                             verdict ? to_string(*verdict) : std::string_view{"none"},
                             report.kind(p));
}

} // namespace

std::string render_csv(const PipelineReport& report) {
    std::string text =
        "pipeline,stage,kind,server,stream,basis,own at least ns,own at most ns,arrives from ns,"
        "arrives by ns,queue ns,memory ns,response ns,ends by ns,on chain,share,"
        "latency at least ns,latency at most ns,deadline ns,verdict,kind of latency\n";
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p)
        for (std::size_t i = 0; i < report.system.pipelines[p].stages.size(); ++i)
            text += stage_row(report, p, i);
    return text;
}

} // namespace warpbound::certification
