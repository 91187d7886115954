#include "certification/pipeline/pipeline_report.hpp"

#include "certification/pipeline/evidence/pipeline_claims.hpp"

#include <algorithm>

namespace warpbound::certification {

bool PipelineReport::is_refuted(std::size_t pipeline) const {
    if (observed.empty() || observed[pipeline].latency.count == 0) return false;
    const auto& seen = observed[pipeline].latency;
    const auto& bounds = together.pipelines[pipeline];
    return seen.best < bounds.lower || (bounds.upper && seen.worst > *bounds.upper);
}

bool PipelineReport::is_refuted() const {
    for (std::size_t p = 0; p < observed.size(); ++p)
        if (is_refuted(p)) return true;
    return false;
}

std::string PipelineReport::kind(std::size_t pipeline) const {
    if (!together.pipelines[pipeline].upper) return "no-upper-bound";
    return kind_of_claims(system); // Of all pipelines: others delay it by their times.
}

StageBudget budget_of(const PipelineReport& report, std::size_t pipeline, std::size_t stage) {
    const auto& bounds = report.together.pipelines[pipeline];
    const auto& found = bounds.stages[stage];
    StageBudget budget;
    budget.own = report.system.pipelines[pipeline].stages[stage].time->upper().count();
    budget.memory = found.memory;
    budget.queue = std::max<std::int64_t>(0, found.response - budget.own - found.memory);
    const auto at = std::find(bounds.chain.begin(), bounds.chain.end(), stage);
    budget.is_on_chain = at != bounds.chain.end();
    if (!budget.is_on_chain || *bounds.upper == 0) return budget;
    const std::int64_t begin =
        at == bounds.chain.begin() ? found.latest : bounds.stages[*(at - 1)].end;
    budget.share = static_cast<double>(found.end - begin) / static_cast<double>(*bounds.upper);
    return budget;
}

} // namespace warpbound::certification
