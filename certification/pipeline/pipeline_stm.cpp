/// \file
/// The stages of pipelines as runnables of a compute graph.
#include "certification/pipeline/pipeline_stm.hpp"

#include <fmt/format.h>

namespace warpbound::certification {

namespace {

std::string basis_phrase(models::TimeBasis basis) {
    switch (basis) {
    case models::TimeBasis::Stated:
        return "upper bound as stated";
    case models::TimeBasis::Measured:
        return "measured, not proved";
    case models::TimeBasis::Bounded:
        break;
    }
    return "upper bound from the code or the description of the machine";
}

StmRunnable runnable_of(const PipelineReport& report, std::size_t p, std::size_t i) {
    const auto& stage = report.system.pipelines[p].stages[i];
    const StageBudget budget = budget_of(report, p, i);
    std::string basis = basis_phrase(stage.basis);
    if (!stage.source.empty()) basis += fmt::format(" ({})", stage.source);
    if (budget.memory > 0)
        basis += fmt::format(": {} ns, and at most {} ns of others' memory traffic", budget.own,
                             budget.memory);
    return {stage.name, models::Nanoseconds{models::plus(budget.own, budget.memory)},
            std::move(basis), !stage.server.has_value(), stage.after};
}

} // namespace

Result<StmGraph> stm_graph(const PipelineReport& report, const std::string& name,
                           models::Nanoseconds submission) {
    StmGraph graph{name,
                   "The WCET of a kernel or a copy is its time on the device without queues, with "
                   "others' memory traffic. Copies count as work of the GPU.",
                   submission,
                   {},
                   {}};
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p) {
        const auto& pipeline = report.system.pipelines[p];
        if (!report.together.pipelines[p].upper)
            return Failure{fmt::format(
                "pipeline '{}' has no upper bound; an STM graph needs one: {}", pipeline.name,
                report.together.missing.empty()
                    ? report.together.refusal
                    : "stated must be " + report.together.missing.front())};
        StmClient client{pipeline.name, pipeline.distance, {}};
        for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
            client.runnables.push_back(runnable_of(report, p, i));
        graph.clients.push_back(std::move(client));
    }
    return graph;
}

} // namespace warpbound::certification
