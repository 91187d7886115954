#include "certification/pipeline/evidence/pipeline_evidence.hpp"

#include "assembly/support/source_text.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/manifest.hpp"
#include "certification/pipeline/evidence/pipeline_claims.hpp"
#include "models/pipeline/pipeline_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace warpbound::certification {

namespace {

Json assumptions_of(const models::PipelineSystem& system) {
    Json rows = Json::array();
    for (const auto& assumption : analyzer::pipeline_assumptions(system)) {
        rows.push_back({{"id", assumption.id},
                        {"text", assumption.text},
                        {"status", to_string(assumption.status)},
                        {"about", to_string(assumption.subject)}});
        for (const auto& [pipeline, stage] : assumption.stages)
            rows.back()["stages"].push_back({{"pipeline", pipeline}, {"stage", stage}});
    }
    return rows;
}

Json claims_of(const models::PipelineSystem& system, const analyzer::SystemLatency& latency,
               const EvidenceFiles& files, const std::string& verdict) {
    Json json{{"pipelines", pipeline_claims(system, latency)},
              {"assumptions", assumptions_of(system)},
              {"kind", kind_of_claims(system)},
              {"verdict", verdict}};
    if (system.clock) json["clock"] = {{"lo", system.clock->lo}, {"hi", system.clock->hi}};
    // What the kernels' bounds rest on stands in their own bundle.
    constexpr const char* kernels = "kernels/manifest.json";
    if (files.count(kernels) != 0)
        json["kernels"] = {{"path", kernels},
                           {"sha256", assembly::digest_of(files.at(kernels).bytes)}};
    return json;
}

} // namespace

Result<PipelineBundle> build_pipeline_bundle(const PipelineInputs& inputs) {
    auto system = models::read_pipelines({"inputs/pipelines.xml", inputs.description});
    if (!system) return system.as_failure();
    PipelineBundle bundle;
    bundle.system = std::move(system).value();
    if (auto done = take_times(bundle.system, inputs); !done) return done.as_failure();
    const auto latency = analyzer::bound_latency(bundle.system);
    if (!latency.missing.empty())
        return Failure{fmt::format("no upper bound, and so no evidence; stated must be {}",
                                   fmt::join(latency.missing, "; "))};
    if (!latency.refusal.empty())
        return Failure{"no upper bound, and so no evidence: " + latency.refusal};
    bundle.verdict = verdict_on_all(bundle.system, latency);
    bundle.files = pipeline_input_files(inputs);
    bundle.files["claims.json"] = {
        "claims", "claims",
        canonical(claims_of(bundle.system, latency, bundle.files, bundle.verdict))};
    Manifest manifest = manifest_of(bundle.files, inputs.tool_version, pipeline_evidence_format);
    bundle.report_id = std::move(manifest.report_id);
    bundle.files["manifest.json"] = {"manifest", "manifest", std::move(manifest.text)};
    return bundle;
}

bool is_pipeline_bundle(const std::map<std::string, std::string>& files) {
    const auto file = files.find("manifest.json");
    if (file == files.end()) return false;
    const auto manifest = read_json(file->second, file->first);
    return manifest && manifest.value().is_object() &&
           manifest.value().value("format", Json{}) == pipeline_evidence_format;
}

Result<std::map<std::string, std::string>>
rebuild_pipeline_bundle(const std::map<std::string, std::string>& files) {
    const auto inputs = pipeline_inputs_of(files);
    if (!inputs) return inputs.as_failure();
    auto bundle = build_pipeline_bundle(inputs.value());
    if (!bundle) return bundle.as_failure();
    std::map<std::string, std::string> made;
    for (auto& [path, file] : bundle.value().files)
        made.emplace(path, std::move(file.bytes));
    return made;
}

} // namespace warpbound::certification
