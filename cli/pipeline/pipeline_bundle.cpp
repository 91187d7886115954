#include "cli/pipeline/pipeline_bundle.hpp"

#include "assembly/support/stop_token.hpp"
#include "certification/bundle/build.hpp"
#include "certification/bundle/signature.hpp"
#include "cli/evidence/bundle_check.hpp"
#include "cli/evidence/certified_kernel.hpp"
#include "cli/evidence/components.hpp"
#include "cli/program/command.hpp"
#include "cli/version.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

namespace warpbound::cli {

namespace {

using models::PipelineStage;
using models::PipelineSystem;

PlannedKernel planned(const PipelineSystem& system, const PipelineStage& stage) {
    const auto beside = [&](const std::string& file) {
        return (std::filesystem::path{system.name}.parent_path() / file).string();
    };
    PlannedKernel kernel;
    kernel.listing = beside(stage.code->file);
    kernel.name = stage.code->kernel;
    kernel.machine.architecture = system.machine;
    kernel.launch.launch = models::to_string(stage.code->launch);
    kernel.policy = stage.code->policy;
    kernel.multiprocessors = fmt::format("{}", system.servers[*stage.server].multiprocessors);
    if (!stage.code->flow_facts.empty()) kernel.flow_facts = beside(stage.code->flow_facts);
    return kernel;
}

/// The bundle of all kernels; no files where there are none.
Result<certification::EvidenceFiles> kernel_bundle(const PipelineSystem& system) {
    certification::BundleInputs inputs;
    inputs.tool_version = version;
    inputs.components = components();
    for (const PipelineStage* const stage : certification::kernels_of(system)) {
        const std::string id = certification::kernel_id(inputs.kernels.size());
        auto input = read_kernel(planned(system, *stage), {}, id);
        const auto refuse = [&](const std::string& what) {
            return Failure{fmt::format("stage '{}': {}", stage->name, what), system.name,
                           stage->line};
        };
        if (!input) return refuse(to_string(input.error()));
        if (!input.value()) return refuse("interrupted; nothing was written");
        inputs.kernels.push_back(std::move(*input.value()));
        inputs.kernels.back().loads_through_caches = false; // Other stages may load meanwhile.
    }
    if (inputs.kernels.empty()) return certification::EvidenceFiles{};
    auto bundle = certification::build_bundle(inputs);
    if (!bundle)
        return Failure{"no evidence of its kernels: " + to_string(bundle.error()), system.name};
    if (auto checked = check_own_evidence(bundle.value().files); !checked)
        return checked.as_failure();
    return std::move(bundle.value().files);
}

bool has_bounded_times(const PipelineSystem& system) {
    return std::any_of(system.pipelines.begin(), system.pipelines.end(),
                       [](const models::Pipeline& pipeline) {
                           return std::any_of(pipeline.stages.begin(), pipeline.stages.end(),
                                              [](const PipelineStage& stage) {
                                                  return stage.basis == models::TimeBasis::Bounded;
                                              });
                       });
}

Result<certification::PipelineBundle>
whole_bundle(const PipelineSystem& system, const std::string& description, const std::string& key) {
    certification::PipelineInputs inputs;
    inputs.tool_version = version;
    inputs.components = components();
    inputs.description = description;
    if (has_bounded_times(system)) {
        auto machine = description_text({.architecture = system.machine, .assumed = {}});
        if (!machine) return machine.as_failure();
        inputs.machine = std::move(machine).value();
    }
    auto kernels = kernel_bundle(system);
    if (!kernels) return kernels.as_failure();
    inputs.kernels = std::move(kernels).value();
    auto bundle = certification::build_pipeline_bundle(inputs);
    if (!bundle) return bundle;
    bundle.value().system.name = system.name;
    if (key.empty()) return bundle;
    const auto pem = read_text(key);
    if (!pem) return pem.as_failure();
    auto& files = bundle.value().files;
    auto signature = certification::sign_manifest(files.at("manifest.json").bytes, pem.value());
    if (!signature) return Failure{signature.error().what, "--sign " + key};
    files["signature.json"] = {"signature", "signature", std::move(signature).value()};
    return bundle;
}

/// When the evidence has to be whole.
Deadline& end_of_evidence() {
    static Deadline end;
    return end;
}
bool evidence_has_to_end() {
    return interrupted() ||
           (end_of_evidence() && std::chrono::steady_clock::now() >= *end_of_evidence());
}

} // namespace

Result<std::optional<certification::PipelineBundle>> pipeline_bundle(const PipelineSystem& system,
                                                                     const std::string& description,
                                                                     const std::string& key) {
    // No step knows of the deadline and leaves something out for it: `verify`, which has none,
    // would find other bounds.
    end_of_evidence() = current_stop().deadline();
    const StopScope scope{StopToken{std::nullopt, evidence_has_to_end}};
    try {
        auto bundle = whole_bundle(system, description, key);
        if (!stop_requested()) {
            if (!bundle) return bundle.as_failure();
            return std::optional{std::move(bundle).value()};
        }
    } catch (const Stopped&) { // What was made of it is no evidence.
    }
    return std::optional<certification::PipelineBundle>{};
}

} // namespace warpbound::cli
