#include "certification/pipeline/pipeline_wording.hpp"

#include "certification/pipeline/evidence/pipeline_claims.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpbound::certification {

using models::DeadlineVerdict;
using models::Nanoseconds;

std::string at_most_text(std::int64_t nanoseconds) {
    return models::to_string(models::rounded_up(Nanoseconds{nanoseconds}));
}
std::string at_least_text(std::int64_t nanoseconds) {
    return models::to_string(models::rounded_down(Nanoseconds{nanoseconds}));
}

std::string contents_phrase(const models::PipelineSystem& system) {
    return fmt::format("{} pipeline{}, {} best-effort client{}", system.pipelines.size(),
                       system.pipelines.size() == 1 ? "" : "s", system.clients.size(),
                       system.clients.size() == 1 ? "" : "s");
}

std::string stages_phrase(const std::vector<analyzer::StageName>& stages) {
    std::string text;
    for (const auto& stage : stages)
        text += (text.empty() ? "" : ", ") + to_string(stage);
    return text;
}

std::string releases_phrase(const models::Pipeline& pipeline) {
    return fmt::format("{} {}, jitter {}{}", pipeline.is_periodic ? "every" : "at least every",
                       models::to_string(pipeline.distance), models::to_string(pipeline.jitter),
                       pipeline.overlaps ? ", jobs overlap" : "");
}

std::string verdict_phrase(const PipelineReport& report, std::size_t pipeline) {
    const DeadlineVerdict verdict = *report.verdict(pipeline);
    const bool is_estimate =
        verdict != DeadlineVerdict::Undecided && kind_of_claims(report.system) == "hybrid-estimate";
    return fmt::format("{}{}", to_string(verdict), is_estimate ? " as a hybrid estimate" : "");
}

std::string margin_phrase(const PipelineReport& report, std::size_t pipeline) {
    const auto& upper = report.together.pipelines[pipeline].upper;
    const std::int64_t deadline = report.system.pipelines[pipeline].deadline->count();
    switch (*report.verdict(pipeline)) {
    case DeadlineVerdict::Met:
        return "margin " + at_least_text(deadline - *upper);
    case DeadlineVerdict::Violated:
        return "every job ends after it";
    case DeadlineVerdict::Undecided:
        break;
    }
    return upper ? "the upper bound ends " + at_most_text(*upper - deadline) + " after it"
                 : "no margin is known";
}

std::string comparison_phrase(const PipelineReport& report, std::size_t pipeline) {
    if (report.is_refuted(pipeline)) return "OUTSIDE the bounds";
    return report.together.pipelines[pipeline].upper ? "none outside the bounds"
                                                     : "compared with the lower bound only";
}

const std::string& server_name(const PipelineReport& report, const models::PipelineStage& stage) {
    static const std::string host = "host";
    return stage.server ? report.system.servers[*stage.server].name : host;
}

std::string in_use_phrase(const PipelineReport& report, std::size_t server) {
    const auto& system = report.system;
    const bool has_stages = std::ranges::any_of(system.pipelines, [&](const auto& pipeline) {
        return std::ranges::any_of(pipeline.stages,
                                   [&](const auto& stage) { return stage.server == server; });
    });
    const bool counts = has_stages && system.servers[server].order != models::ServerOrder::Priority;
    const bool has_more = std::ranges::any_of(system.clients, [&](const auto& client) {
        return std::ranges::any_of(client.operations, [&](const auto& operation) {
            return operation.server == server && !(counts && operation.distance);
        });
    });
    return fmt::format("{:.1f} %{}", 100 * report.together.utilisation[server],
                       has_more ? ", without clients" : "");
}

std::string misses_phrase(const analyzer::MissProbability& misses) {
    if (!misses.refusal.empty()) return "not estimated: " + misses.refusal;
    return fmt::format("estimate: at most {:.3g} of the jobs, with {:.0f} % confidence at most "
                       "{:.3g}; dependence {}",
                       misses.value.value(), 100 * misses.confidence, misses.upper.value(),
                       to_string(misses.dependence));
}

std::string tolerance_phrase(const models::Pipeline& pipeline,
                             const analyzer::MissProbability& misses) {
    const auto verdict = analyzer::verdict_on(pipeline, misses);
    if (!verdict) return {};
    return fmt::format("{}{} {}", to_string(*verdict),
                       *verdict == analyzer::ToleranceVerdict::Undecided ? ": tolerated are"
                                                                         : " the tolerated",
                       pipeline.tolerated_miss_rate);
}

} // namespace warpbound::certification
