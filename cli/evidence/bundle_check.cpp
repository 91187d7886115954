#include "cli/evidence/bundle_check.hpp"

#include "certification/bundle/build.hpp"
#include "certification/bundle/inputs.hpp"
#include "certification/pipeline/evidence/pipeline_evidence.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/execution/execution.hpp"
#include "certification/verify/structure.hpp"
#include "cli/evidence/components.hpp"
#include "cli/evidence/evidence_folder.hpp"
#include "cli/inputs/code_decoder.hpp"
#include "cli/program/command.hpp"
#include "cli/version.hpp"

#include <fmt/format.h>

#include <chrono>

namespace warpbound::cli {

namespace {

namespace check = certification::verify;

Result<check::Files> rebuild(const check::Files& files) {
    if (certification::is_pipeline_bundle(files))
        return certification::rebuild_pipeline_bundle(files);
    const auto inputs = certification::inputs_of(files, &code_decoder());
    if (!inputs) return inputs.as_failure();
    auto bundle = certification::build_bundle(inputs.value());
    if (!bundle) return bundle.as_failure();
    check::Files made;
    for (auto& [path, file] : bundle.value().files)
        made.emplace(path, std::move(file.bytes));
    return made;
}

bool is_refused(const check::StepResult& step) {
    return step.verdict == check::Verdict::Tampered || step.verdict == check::Verdict::Failed ||
           ((step.step == "digests" || step.step == "schema") &&
            step.verdict != check::Verdict::Holds);
}

} // namespace

check::Options checks_of_this_program() {
    check::Options checks;
    checks.tool_version = version;
    for (const auto& component : components())
        checks.components.emplace(component.name, component.version);
    checks.rebuild = rebuild;
    checks.decoder = &code_decoder();
    checks.threads = worker_threads();
    return checks;
}

Result<void> check_own_evidence(const certification::EvidenceFiles& files) {
    check::Files bytes;
    for (const auto& [path, file] : files)
        bytes.emplace(path, file.bytes);
    const auto refused = [](const check::StepResult& step) {
        return Failure{fmt::format("nothing was written, as `verify` would not accept it: {}: {}; "
                                   "docs/qualification/known-problems.md lists what is known, "
                                   "please report anything else",
                                   step.step, step.detail)};
    };
    try {
        const check::Evidence evidence = check::read_evidence(bytes, &code_decoder());
        for (const auto& step :
             {check::check_structure(evidence), check::check_execution(evidence)})
            if (step.verdict == check::Verdict::Failed) return refused(step);
    } catch (const check::Finding& finding) {
        if (finding.verdict == check::Verdict::Failed)
            return refused({"schema", finding.verdict, finding.what()});
    }
    return boost::outcome_v2::success();
}

Result<check::Files> read_checked_baseline(const std::string& folder) {
    auto files = read_evidence(folder);
    if (!files) return files;
    check::Options checks = checks_of_this_program();
    checks.solver_limit = std::chrono::seconds{10};
    for (const auto& step : check::verify(files.value(), checks))
        if (is_refused(step))
            return Failure{fmt::format("the older bundle does not check: {} {}: {}; see `warpbound "
                                       "verify {}`, and give a baseline that passes",
                                       step.step, to_string(step.verdict), step.detail, folder),
                           folder};
    return files;
}

} // namespace warpbound::cli
