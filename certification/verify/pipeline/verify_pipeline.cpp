#include "certification/verify/pipeline/verify_pipeline.hpp"

#include "assembly/support/source_text.hpp"
#include "certification/verify/bundle_json.hpp"
#include "certification/verify/digests.hpp"
#include "certification/verify/pipeline/latency_inequalities.hpp"
#include "certification/verify/pipeline/own_times.hpp"
#include "certification/verify/re_analysis.hpp"
#include "certification/verify/signature.hpp"
#include "certification/verify/steps.hpp"
#include "certification/verify/tool.hpp"
#include "models/architecture/shipped.hpp"
#include "models/pipeline/pipeline_file.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <exception>
#include <initializer_list>
#include <utility>

namespace warpbound::certification::verify {

namespace {

using nlohmann::json;

constexpr std::string_view pipeline_evidence_format = "warpbound-pipeline-evidence/1";
constexpr std::string_view kernels_folder = "kernels/";
constexpr const char* description_path = "inputs/pipelines.xml";
constexpr const char* run_path = "inputs/run.json";

/// A bundle about pipelines, as read.
struct PipelineCase {
    models::PipelineSystem system;
    ClaimedPipelines claims;
    TimeSources sources;
    ToolClaims tool;
};

const std::string& text_of(const Files& files, const std::string& path) {
    const auto found = files.find(path);
    if (found == files.end()) incomplete(path + ": missing");
    return found->second;
}

/// Whether what a description states as its machine can mean this one: its name, the card of its
/// name, its target, or a file.
bool may_be_called(const std::string& stated, const models::Architecture& machine) {
    const auto ends_with = [](const std::string& text, const std::string& end) {
        return text.size() > end.size() &&
               text.compare(text.size() - end.size(), end.size(), end) == 0;
    };
    return stated == machine.name || ends_with(machine.name, "-" + stated) ||
           stated == assembly::to_string(machine.target) || stated.find('/') != std::string::npos ||
           ends_with(stated, ".xml");
}

void read_machine(const Files& files, const json& run, PipelineCase& read) {
    if (!run.contains("machine")) return;
    const auto path = run.at("machine").get<std::string>();
    read.sources.machine_text = text_of(files, path);
    auto machine = models::read_architecture({path, read.sources.machine_text});
    if (!machine) incomplete(to_string(machine.error()));
    read.sources.machine = std::move(machine).value();
    if (!may_be_called(read.system.machine, *read.sources.machine))
        refuted(fmt::format("{}: the description states machine '{}'", path, read.system.machine));
}

/// The bundle of kernels, and that the claims name it by its digest.
void read_kernels(const Files& files, const json& claims, const assembly::amd::CodeDecoder* decoder,
                  PipelineCase& read) {
    for (const auto& [path, bytes] : files)
        if (path.rfind(kernels_folder, 0) == 0)
            read.sources.kernel_files.emplace(path.substr(kernels_folder.size()), bytes);
    if (read.sources.kernel_files.empty() != !claims.contains("kernels"))
        incomplete("claims.json: the bundle of kernels is named and missing, or the reverse");
    if (read.sources.kernel_files.empty()) return;
    const auto path = claims.at("kernels").at("path").get<std::string>();
    if (path != "kernels/manifest.json" ||
        claims.at("kernels").at("sha256") != assembly::digest_of(text_of(files, path)))
        refuted("claims.json: the bundle of kernels has another digest");
    read.sources.kernels = read_evidence(read.sources.kernel_files, decoder);
}

bool is_described(const json& name, const models::PipelineSystem& system) {
    for (const auto& pipeline : system.pipelines)
        for (const auto& stage : pipeline.stages)
            if (name.at("pipeline") == pipeline.name && name.at("stage") == stage.name) return true;
    return false;
}

/// Each assumption has an id of its own and is said to be unchecked, as nothing here checks one.
/// The stages that it names are those of the description.
std::size_t check_register(const json& claims, const models::PipelineSystem& system) {
    std::size_t count = 0;
    for (const auto& row : claims.at("assumptions")) {
        ++count;
        if (row.at("id") != fmt::format("P{}", count))
            incomplete("claims.json: assumption " + row.at("id").dump() + " out of order");
        if (row.at("text").get<std::string>().empty() || row.at("status") != "unchecked")
            incomplete(fmt::format("claims.json: P{} has no text or is not unchecked", count));
        for (const auto& name : row.value("stages", json::array()))
            if (!is_described(name, system))
                incomplete(
                    fmt::format("claims.json: P{} speaks of a stage that is not described: {}",
                                count, name.dump()));
    }
    if (count == 0) incomplete("claims.json: no assumptions");
    return count;
}

StepResult read_case(const Files& files, const Options& options, PipelineCase& read) {
    try {
        const json run = read_json(text_of(files, run_path), run_path, Verdict::Incomplete);
        run.at("tool").at("version").get_to(read.tool.version);
        for (const auto& component : run.at("components"))
            read.tool.components.emplace_back(component.at("name").get<std::string>(),
                                              component.at("version").get<std::string>());
        if (run.at("description") != description_path)
            incomplete(fmt::format("{}: another description than {}", run_path, description_path));
        auto system = models::read_pipelines({description_path, text_of(files, description_path)});
        if (!system) incomplete(to_string(system.error()));
        read.system = std::move(system).value();
        read_machine(files, run, read);
        const json claims =
            read_json(text_of(files, "claims.json"), "claims.json", Verdict::Incomplete);
        read.claims = read_claimed_pipelines(claims, read.system);
        const std::size_t assumptions = check_register(claims, read.system);
        read_kernels(files, claims, options.decoder, read);
        return {"schema", Verdict::Holds,
                fmt::format(
                    "{} pipelines, {} kernels, {} assumptions{}", read.system.pipelines.size(),
                    read.sources.kernels.kernels.size(), assumptions,
                    read.sources.machine ? "; machine " + models::label_of(*read.sources.machine)
                                         : "")};
    } catch (const Finding& finding) {
        return {"schema", finding.verdict, finding.what()};
    } catch (const std::exception& error) {
        return {"schema", Verdict::Incomplete, error.what()};
    }
}

/// Runs a check that gives what it found or throws `Finding`.
template <class Check> StepResult step_of(const char* step, const Check& check) {
    try {
        return {step, Verdict::Holds, check()};
    } catch (const Finding& finding) {
        return {step, finding.verdict, finding.what()};
    } catch (const std::exception& error) {
        return {step, Verdict::Incomplete, error.what()};
    }
}

std::string check_times(PipelineCase& read) {
    check_own_times(read.system, read.claims, read.sources);
    std::size_t stated = 0;
    std::size_t measured = 0;
    std::size_t bounded = 0;
    for (const auto& pipeline : read.claims.pipelines)
        for (const auto& stage : pipeline.stages)
            ++(stage.basis == "stated" ? stated : stage.basis == "measured" ? measured : bounded);
    return fmt::format("{} stages as stated, {} as measured, {} from machine and kernels", stated,
                       measured, bounded);
}

std::string check_inequalities(const PipelineCase& read) {
    check_latencies({read.system, read.claims});
    std::size_t stages = 0;
    for (const auto& pipeline : read.claims.pipelines)
        stages += pipeline.stages.size();
    return fmt::format("response times of {} stages and {} latencies are a fixed point or above "
                       "it; texts of assumptions are left to re-analysis",
                       stages, read.claims.pipelines.size());
}

/// Deadlines against the claims. Requires: the claims follow.
StepResult check_deadlines(const PipelineCase& read) {
    std::string all;
    Verdict verdict = Verdict::NotApplicable;
    for (const auto& pipeline : read.claims.pipelines) {
        if (!pipeline.deadline) continue;
        // What rests on a measurement is no bound, whatever its verdict says.
        const bool is_estimate = pipeline.kind == "hybrid-estimate";
        all += fmt::format("{}{}: {}, at most {} ns{}, deadline {} ns", all.empty() ? "" : "; ",
                           pipeline.name, pipeline.verdict, pipeline.upper,
                           is_estimate ? " as a hybrid estimate" : "", *pipeline.deadline);
        if (pipeline.verdict == "violated")
            verdict = Verdict::Violated;
        else if (pipeline.verdict == "undecided" && verdict != Verdict::Violated)
            verdict = Verdict::Undecided;
        else if (verdict == Verdict::NotApplicable)
            verdict = is_estimate ? Verdict::Estimated : Verdict::Holds;
    }
    return {"requirements", verdict, all.empty() ? "no deadline is stated" : all};
}

bool is_good(Verdict verdict) {
    return verdict == Verdict::Holds || verdict == Verdict::Estimated ||
           verdict == Verdict::NotApplicable || verdict == Verdict::Claimed;
}

} // namespace

bool is_about_pipelines(const Files& files) {
    const auto file = files.find("manifest.json");
    if (file == files.end()) return false;
    try {
        const json manifest = read_json(file->second, file->first, Verdict::Tampered);
        return manifest.is_object() && manifest.contains("format") &&
               manifest.at("format") == pipeline_evidence_format;
    } catch (const Finding&) {
        return false;
    }
}

std::vector<StepResult> verify_pipeline(const Files& files, const Options& options,
                                        const VerifyKernels& verify_kernels) {
    Steps steps{options};
    steps.run("signature", [&] { return check_signature(files, options.public_key); });
    if (steps.run("digests", [&] { return check_digests(files, options.report_id); }) !=
        Verdict::Holds) {
        steps.skip({"schema", "times", "kernels", "fixed point", "re-analysis", "requirements"},
                   "the files are not those of the manifest");
        return steps.results();
    }
    PipelineCase read;
    if (steps.run("schema", [&] { return read_case(files, options, read); }) != Verdict::Holds) {
        steps.skip({"times", "kernels", "fixed point", "re-analysis", "requirements"},
                   "the evidence cannot be read");
        return steps.results();
    }
    steps.run("tool", [&] { return check_tool(read.tool, options); });
    const Verdict times =
        steps.run("times", [&] { return step_of("times", [&] { return check_times(read); }); });
    if (read.sources.kernel_files.empty())
        steps.add({"kernels", Verdict::NotApplicable, "no time follows from code"});
    else
        steps.run("kernels", [&] { return verify_kernels(read.sources.kernel_files); });
    if (times == Verdict::Holds)
        steps.run("fixed point",
                  [&] { return step_of("fixed point", [&] { return check_inequalities(read); }); });
    else
        steps.skip({"fixed point"}, "the times of stages do not follow");
    steps.run("re-analysis", [&] {
        StepResult again = check_again(files, read.tool.version, options);
        if (again.verdict == Verdict::Holds && !read.sources.kernel_files.empty())
            again.detail += "; those of kernels/ by the check of their own";
        return again;
    });
    // Claims that do not follow from their evidence decide nothing.
    const bool follows =
        std::all_of(steps.results().begin(), steps.results().end(), [](const StepResult& step) {
            return is_good(step.verdict) || step.verdict == Verdict::Undecided ||
                   step.verdict == Verdict::Incomplete || step.verdict == Verdict::LimitReached;
        });
    if (times != Verdict::Holds || !follows)
        steps.skip({"requirements"}, "the claims do not follow from the evidence");
    else
        steps.run("requirements", [&] { return check_deadlines(read); });
    return steps.results();
}

} // namespace warpbound::certification::verify
