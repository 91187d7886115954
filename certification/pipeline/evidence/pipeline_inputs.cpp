#include "certification/pipeline/evidence/pipeline_inputs.hpp"

#include "certification/bundle/canonical_json.hpp"
#include "models/pipeline/described_times.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::certification {

namespace {

using models::Bounds;
using models::Cycles;
using models::PipelineStage;
using models::PipelineSystem;

constexpr const char* description_path = "inputs/pipelines.xml";
constexpr const char* run_path = "inputs/run.json";
constexpr std::string_view kernels_folder = "kernels/";

bool is_same_kernel(const PipelineSystem& system, const PipelineStage& a, const PipelineStage& b) {
    return a.code->file == b.code->file && a.code->kernel == b.code->kernel &&
           a.code->flow_facts == b.code->flow_facts && a.code->policy == b.code->policy &&
           models::to_string(a.code->launch) == models::to_string(b.code->launch) &&
           system.servers.at(*a.server).multiprocessors ==
               system.servers.at(*b.server).multiprocessors;
}

/// What the bundle of kernels claims of a kernel's execution time.
Result<Bounds<Cycles>> claimed_time(const Json& claims, const std::string& kernel) {
    std::optional<std::int64_t> lower;
    std::optional<std::int64_t> upper;
    for (const auto& claim : claims.at("claims")) {
        if (claim.at("kernel") != kernel || claim.at("quantity") != "execution-time" ||
            !claim.contains("side"))
            continue;
        (claim.at("side") == "upper" ? upper : lower) = claim.at("value").get<std::int64_t>();
    }
    if (!lower || !upper || *lower > *upper)
        return Failure{fmt::format("no bounds on the execution time of {}", kernel),
                       "kernels/claims.json"};
    return Bounds{Cycles{*lower}, Cycles{*upper}};
}

Result<void> take_clock(PipelineSystem& system, const models::Architecture& machine) {
    if (system.clock) return boost::outcome_v2::success();
    const auto described = models::described_clock(machine);
    if (!described)
        return Failure{"no clock is known; expected clock=\"1590MHz\" on <pipelines>",
                       description_path};
    system.clock = described->range;
    return boost::outcome_v2::success();
}

Result<void> take_time(const PipelineSystem& system, const models::Architecture& machine,
                       const Json& claims, PipelineStage& stage) {
    if (!stage.code) {
        const auto time = models::described_copy(machine, stage);
        if (!time) return Failure{time.error().what, description_path, stage.line};
        stage.time = time.value();
        stage.basis = models::TimeBasis::Bounded;
        return boost::outcome_v2::success();
    }
    const auto execution = claimed_time(claims, kernel_of(system, stage));
    if (!execution) return execution.as_failure();
    const auto cycles = models::with_launch(machine, stage, execution.value());
    if (!cycles) return Failure{cycles.error().what, description_path, stage.line};
    stage.cycles = cycles.value();
    return boost::outcome_v2::success();
}

/// Place of the stage's kernel in the bundle of kernels.
std::size_t kernel_index(const PipelineSystem& system, const PipelineStage& stage) {
    const auto kernels = kernels_of(system);
    const auto own = std::find_if(kernels.begin(), kernels.end(), [&](const PipelineStage* known) {
        return is_same_kernel(system, *known, stage);
    });
    return static_cast<std::size_t>(own - kernels.begin());
}

Result<void> take_traffic(const BundleInputs& kernels, std::size_t index, PipelineStage& stage) {
    const std::string id = kernel_id(index);
    if (index >= kernels.kernels.size()) return Failure{"no kernel " + id, "kernels/claims.json"};
    const auto kernel = load(kernels.kernels[index], id);
    if (!kernel) return kernel.as_failure();
    const auto bytes = analyzer::bound_traffic(request_of(*kernel.value(), kernels.solver_seed));
    if (bytes)
        models::take_derived_traffic(stage, bytes.value());
    else
        stage.traffic_refusal = to_string(bytes.error());
    return boost::outcome_v2::success();
}

/// Traffic that is not stated, from the code in the bundle of kernels. What does not follow remains
/// unknown.
Result<void> take_traffic(PipelineSystem& system, const EvidenceFiles& kernels) {
    std::optional<BundleInputs> inputs;
    for (auto& pipeline : system.pipelines)
        for (auto& stage : pipeline.stages) {
            if (!models::needs_derived_traffic(system, stage)) continue;
            if (!inputs) {
                std::map<std::string, std::string> files;
                for (const auto& [path, file] : kernels)
                    files.emplace(path, file.bytes);
                auto read = inputs_of(files);
                if (!read) return read.as_failure();
                inputs = std::move(read).value();
            }
            if (auto done = take_traffic(*inputs, kernel_index(system, stage), stage); !done)
                return done;
        }
    return boost::outcome_v2::success();
}

} // namespace

std::vector<const PipelineStage*> kernels_of(const PipelineSystem& system) {
    std::vector<const PipelineStage*> kernels;
    for (const auto& pipeline : system.pipelines)
        for (const auto& stage : pipeline.stages)
            if (stage.code &&
                std::none_of(kernels.begin(), kernels.end(), [&](const PipelineStage* known) {
                    return is_same_kernel(system, *known, stage);
                }))
                kernels.push_back(&stage);
    return kernels;
}

std::string kernel_of(const PipelineSystem& system, const PipelineStage& stage) {
    return kernel_id(kernel_index(system, stage));
}

Result<void> take_times(PipelineSystem& system, const PipelineInputs& inputs) {
    const auto is_open = [](const PipelineStage& stage) { return !stage.time; };
    if (std::none_of(system.pipelines.begin(), system.pipelines.end(), [&](const auto& pipeline) {
            return std::any_of(pipeline.stages.begin(), pipeline.stages.end(), is_open);
        }))
        return boost::outcome_v2::success();
    if (!inputs.machine) return Failure{"no description of the machine", "model"};
    const auto machine = models::read_architecture({"model", *inputs.machine});
    if (!machine) return machine.as_failure();
    if (auto known = take_clock(system, machine.value()); !known) return known;
    Json claims{{"claims", Json::array()}};
    if (!kernels_of(system).empty()) {
        const auto file = inputs.kernels.find("claims.json");
        if (file == inputs.kernels.end())
            return Failure{"is missing from the bundle", "kernels/claims.json"};
        auto read = read_json(file->second.bytes, "kernels/claims.json");
        if (!read) return read.as_failure();
        claims = std::move(read).value();
    }
    try {
        for (auto& pipeline : system.pipelines)
            for (auto& stage : pipeline.stages)
                if (is_open(stage))
                    if (auto done = take_time(system, machine.value(), claims, stage); !done)
                        return done;
    } catch (const Json::exception& error) {
        return Failure{error.what(), "kernels/claims.json"};
    }
    models::use_clock(system, *system.clock);
    return take_traffic(system, inputs.kernels);
}

EvidenceFiles pipeline_input_files(const PipelineInputs& inputs) {
    EvidenceFiles files;
    Json run{{"tool", {{"name", "warpbound"}, {"version", inputs.tool_version}}},
             {"components", Json::array()},
             {"description", description_path}};
    for (const auto& component : inputs.components)
        run["components"].push_back({{"name", component.name},
                                     {"version", component.version},
                                     {"licence", component.licence}});
    files[description_path] = {"description", "inputs", inputs.description};
    if (inputs.machine) {
        const auto machine = models::read_architecture({"model", *inputs.machine});
        const std::string path = machine ? model_path(machine.value()) : "model/unread.xml";
        run["machine"] = path;
        files[path] = {"machine", "inputs", *inputs.machine};
    }
    for (const auto& [path, file] : inputs.kernels)
        files[std::string{kernels_folder} + path] = {"kernel-evidence", "inputs", file.bytes};
    files[run_path] = {"run", "inputs", canonical(run)};
    return files;
}

Result<PipelineInputs> pipeline_inputs_of(const std::map<std::string, std::string>& files) {
    const auto text_of = [&](const std::string& path) -> Result<std::string> {
        const auto found = files.find(path);
        if (found == files.end()) return Failure{"is missing from the bundle", path};
        return found->second;
    };
    const auto run_text = text_of(run_path);
    if (!run_text) return run_text.as_failure();
    const auto run = read_json(run_text.value(), run_path);
    if (!run) return run.as_failure();
    PipelineInputs inputs;
    try {
        run.value().at("tool").at("version").get_to(inputs.tool_version);
        for (const auto& component : run.value().at("components"))
            inputs.components.push_back({component.at("name").get<std::string>(),
                                         component.at("version").get<std::string>(),
                                         component.at("licence").get<std::string>()});
        auto description = text_of(description_path);
        if (!description) return description.as_failure();
        inputs.description = std::move(description).value();
        if (run.value().contains("machine")) {
            auto machine = text_of(run.value().at("machine").get<std::string>());
            if (!machine) return machine.as_failure();
            inputs.machine = std::move(machine).value();
        }
    } catch (const Json::exception& error) {
        return Failure{error.what(), run_path};
    }
    for (const auto& [path, bytes] : files)
        if (path.rfind(kernels_folder, 0) == 0)
            inputs.kernels[path.substr(kernels_folder.size())] = {"", "", bytes};
    return inputs;
}

} // namespace warpbound::certification
