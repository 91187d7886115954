#include "tests/support/pipeline_cases.hpp"

#include "assembly/support/stop_token.hpp"
#include "certification/bundle/canonical_json.hpp"
#include "certification/bundle/manifest.hpp"
#include "certification/pipeline/evidence/pipeline_evidence.hpp"
#include "certification/verify/verify.hpp"
#include "harness/pipeline/pipeline_simulation.hpp"
#include "models/pipeline/pipeline_file.hpp"
#include "tests/support/evidence.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace warpbound::tests {

namespace {

using certification::verify::Verdict;
using Files = std::map<std::string, std::string>;

/// The system, where each stage has a time without further files.
std::optional<models::PipelineSystem> read(const std::string& description) {
    auto system = models::read_pipelines({.name = "inputs/pipelines.xml", .text = description});
    if (!system) return std::nullopt;
    for (const auto& pipeline : system.value().pipelines)
        for (const auto& stage : pipeline.stages)
            if (!stage.time) return std::nullopt;
    return std::move(system).value();
}

/// The bounds; none where they take too long.
std::optional<analyzer::SystemLatency> bounds_of(const models::PipelineSystem& system) {
    const StopScope scope{StopToken{deadline_after(std::chrono::seconds{1})}};
    try {
        return analyzer::bound_latency(system);
    } catch (const Stopped&) {
        return std::nullopt;
    }
}

std::vector<certification::verify::StepResult>
verified(const Files& files, const certification::verify::Rebuild& rebuild) {
    certification::verify::Options options;
    options.tool_version = "1";
    options.rebuild = rebuild;
    return certification::verify::verify(files, options);
}
/// Whatever the deadlines.
bool claims_follow(const std::vector<certification::verify::StepResult>& steps) {
    return std::all_of(steps.begin(), steps.end(),
                       [](const certification::verify::StepResult& step) {
                           return step.step == "requirements" || step.verdict == Verdict::Holds ||
                                  step.verdict == Verdict::NotApplicable;
                       });
}
std::string text_of(const std::vector<certification::verify::StepResult>& steps) {
    std::string text;
    for (const auto& step : steps)
        text += step.step + " " + to_string(step.verdict) + " " + step.detail + "\n";
    return text;
}

std::string defect_of_evidence(const std::string& description) {
    certification::PipelineInputs inputs;
    inputs.tool_version = "1";
    inputs.description = description;
    const auto bundle = certification::build_pipeline_bundle(inputs);
    if (!bundle) return "bounds without evidence: " + to_string(bundle.error());
    const auto steps =
        verified(plain(bundle.value().files), certification::rebuild_pipeline_bundle);
    return claims_follow(steps) ? std::string{}
                                : "evidence of bounds is not accepted:\n" + text_of(steps);
}

std::string defect_of_simulation(const models::PipelineSystem& system,
                                 const analyzer::SystemLatency& bounds) {
    std::vector<harness::ObservedPipeline> observed;
    for (std::uint64_t run = 0; run < 4; ++run)
        harness::simulate_pipelines(
            system,
            {.seed = run, .jobs = 4, .starts_together = run % 2 == 0, .takes_longest = run < 2},
            observed);
    for (std::size_t p = 0; p < observed.size(); ++p) {
        const auto& seen = observed[p].latency;
        if (seen.count == 0) continue;
        if (seen.best < bounds.pipelines[p].lower || seen.worst > *bounds.pipelines[p].upper)
            return "a simulated latency of " + system.pipelines[p].name +
                   " is outside: " + std::to_string(seen.best) + " to " +
                   std::to_string(seen.worst);
    }
    return {};
}

} // namespace

std::string defect_of_pipelines(const std::string& description) {
    const auto system = read(description);
    if (!system) return {};
    const auto bounds = bounds_of(*system);
    if (!bounds || !bounds->missing.empty() || !bounds->refusal.empty()) return {};
    const std::string defect = defect_of_evidence(description);
    return defect.empty() ? defect_of_simulation(*system, *bounds) : defect;
}

std::string defect_of_pipeline_bundle(const std::string& text) {
    const std::size_t end = text.find(description_end);
    if (end == std::string::npos) return {};
    certification::PipelineInputs inputs;
    inputs.tool_version = "1";
    inputs.description = text.substr(0, end);
    const std::string claims = text.substr(end + std::string{description_end}.size());
    auto files = certification::pipeline_input_files(inputs);
    files["claims.json"] = {"claims", "claims", claims};
    files["manifest.json"] = {
        "manifest", "manifest",
        certification::manifest_of(files, "1", certification::pipeline_evidence_format).text};
    const auto steps = verified(plain(files), [](const Files& same) -> Result<Files> {
        return same; // What is left is what `verify` shows itself.
    });
    if (!claims_follow(steps)) return {};
    const auto system = read(inputs.description);
    if (!system) return "accepted, and the description is not:\n" + text_of(steps);
    const auto bounds = bounds_of(*system);
    if (!bounds || !bounds->refusal.empty()) return {}; // A limit of the analysis.
    if (!bounds->missing.empty())
        return "accepted, and open is " + bounds->missing.front() + "\n" + text_of(steps);
    const auto read_claims = certification::read_json(claims, "claims.json");
    for (std::size_t p = 0; p < bounds->pipelines.size(); ++p) {
        const auto& row = read_claims.value().at("pipelines").at(p);
        if (row.at("upper").get<std::int64_t>() < *bounds->pipelines[p].upper ||
            row.at("lower").get<std::int64_t>() > bounds->pipelines[p].lower)
            return "accepted, and the bounds of " + system->pipelines[p].name + " are " +
                   std::to_string(bounds->pipelines[p].lower) + " to " +
                   std::to_string(*bounds->pipelines[p].upper) + "\n" + text_of(steps);
    }
    return {};
}

} // namespace warpbound::tests
