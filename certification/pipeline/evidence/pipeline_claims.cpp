#include "certification/pipeline/evidence/pipeline_claims.hpp"

#include "certification/pipeline/evidence/pipeline_inputs.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace warpbound::certification {

namespace {

using models::DeadlineVerdict;
using models::Pipeline;
using models::PipelineStage;
using models::PipelineSystem;

/// Traffic of others that may delay a stage, and by how much in its response time.
Json interference_of(const PipelineSystem& system, const analyzer::MemoryInterference& memory,
                     std::int64_t response) {
    Json rows = Json::array();
    for (std::size_t m = 0; m < models::shared_memories.size(); ++m) {
        const auto& traffic = memory.memories.at(m);
        if (traffic.is_none()) continue;
        Json operations = Json::array();
        for (const auto& each : traffic.operations) {
            const Pipeline& pipeline = system.pipelines.at(each.pipeline);
            operations.push_back({{"pipeline", pipeline.name},
                                  {"stage", pipeline.stages.at(each.stage).name},
                                  {"bytes", each.bytes},
                                  {"distance", each.distance},
                                  {"spread", each.spread}});
        }
        analyzer::MemoryInterference one;
        one.memories.at(m) = traffic;
        rows.push_back({{"memory", models::shared_memories.at(m)},
                        {"bandwidth", traffic.bandwidth},
                        {"burst", traffic.burst},
                        {"rate", traffic.rate},
                        {"operations", std::move(operations)},
                        {"delay", one.delay(response)}});
    }
    return rows;
}

Json stage_claims(const PipelineSystem& system, const PipelineStage& stage,
                  const analyzer::StageLatency& found, const analyzer::StageFixedPoint& fixed) {
    Json json{{"name", stage.name},
              {"basis", to_string(stage.basis)},
              {"own-time",
               {{"lower", stage.time->lower().count()}, {"upper", stage.time->upper().count()}}},
              {"earliest", found.earliest},
              {"latest", found.latest},
              {"response", found.response},
              {"end", found.end}};
    if (!stage.source.empty()) json["source"] = stage.source;
    if (stage.code) {
        json["kernel"] = kernel_of(system, stage);
        json["cycles"] = {{"lower", stage.cycles->lower().count()},
                          {"upper", stage.cycles->upper().count()}};
    }
    for (std::size_t m = 0; m < models::shared_memories.size(); ++m)
        if (stage.is_traffic_derived.at(m))
            json["traffic"][std::string{models::shared_memories.at(m)}] = *stage.traffic.at(m);
    if (!stage.server) return json;
    json["server"] = system.servers.at(*stage.server).name;
    json["interference"] = interference_of(system, fixed.memory, found.response);
    if (fixed.busy_period > 0) json["busy-period"] = fixed.busy_period;
    if (!fixed.starts.empty()) json["starts"] = fixed.starts;
    return json;
}

} // namespace

std::string kind_of_claims(const PipelineSystem& system) {
    for (const Pipeline& pipeline : system.pipelines)
        for (const PipelineStage& stage : pipeline.stages)
            if (stage.basis == models::TimeBasis::Measured) return "hybrid-estimate";
    return "bound-under-assumptions";
}

Json pipeline_claims(const PipelineSystem& system, const analyzer::SystemLatency& latency) {
    const auto fixed = analyzer::fixed_point_of(system);
    Json pipelines = Json::array();
    for (std::size_t p = 0; p < system.pipelines.size(); ++p) {
        const Pipeline& pipeline = system.pipelines[p];
        const auto& bounds = latency.pipelines[p];
        Json json{{"name", pipeline.name},  {"kind", kind_of_claims(system)},
                  {"unit", "ns"},           {"lower", bounds.lower},
                  {"upper", *bounds.upper}, {"stages", Json::array()}};
        if (const auto verdict = analyzer::verdict_on(pipeline, bounds)) {
            json["deadline"] = pipeline.deadline->count();
            json["criticality"] = pipeline.is_soft ? "soft" : "hard";
            json["verdict"] = to_string(*verdict);
        }
        for (std::size_t i = 0; i < pipeline.stages.size(); ++i)
            json["stages"].push_back(
                stage_claims(system, pipeline.stages[i], bounds.stages[i], fixed[p][i]));
        pipelines.push_back(std::move(json));
    }
    return pipelines;
}

std::string verdict_on_all(const PipelineSystem& system, const analyzer::SystemLatency& latency) {
    std::string verdict = "none";
    for (std::size_t p = 0; p < system.pipelines.size(); ++p) {
        const auto one = analyzer::verdict_on(system.pipelines[p], latency.pipelines[p]);
        if (!one) continue;
        if (*one == DeadlineVerdict::Violated) return "violated";
        if (*one == DeadlineVerdict::Undecided)
            verdict = "undecided";
        else if (verdict == "none")
            verdict = "holds";
    }
    return verdict;
}

} // namespace warpbound::certification
