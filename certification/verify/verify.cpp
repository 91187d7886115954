#include "certification/verify/verify.hpp"

#include "certification/verify/digests.hpp"
#include "certification/verify/divergence/warp_cfg.hpp"
#include "certification/verify/evidence.hpp"
#include "certification/verify/execution/execution.hpp"
#include "certification/verify/flow/pair_states.hpp"
#include "certification/verify/observations.hpp"
#include "certification/verify/pipeline/verify_pipeline.hpp"
#include "certification/verify/re_analysis.hpp"
#include "certification/verify/refit.hpp"
#include "certification/verify/requirements.hpp"
#include "certification/verify/signature.hpp"
#include "certification/verify/solver/farkas.hpp"
#include "certification/verify/solver/script.hpp"
#include "certification/verify/solver/solver.hpp"
#include "certification/verify/steps.hpp"
#include "certification/verify/structure.hpp"
#include "certification/verify/tool.hpp"
#include "certification/verify/worker_threads.hpp"
#include "models/architecture/shipped.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <initializer_list>
#include <set>
#include <string_view>

namespace warpbound::certification::verify {

namespace {

/// The script of a certificate, as shipped and as it follows from the certificate.
struct ScriptCase {
    std::string where;
    const std::string* shipped = nullptr;
    std::string expected;
    bool is_refuted = false; ///< By multipliers.
    std::optional<StepResult> finding;
};

StepResult wrong(Verdict verdict, std::string what) {
    return {"solver", verdict, std::move(what)};
}

/// Requires: evidence whose structure holds.
std::vector<ScriptCase> scripts_of(const Evidence& evidence) {
    std::vector<ScriptCase> scripts;
    for (const auto& kernel : evidence.kernels) {
        const SideFlows flows = check_flows(*kernel);
        for (const Certificate& certificate : kernel->certificates) {
            const ControlFlow& flow = flows.of(certificate);
            const Certificate product = with_states(kernel->facts, flow, certificate);
            const Script script = script_of(*kernel, flow, product);
            scripts.push_back(
                {kernel->id + "/" + certificate.id, &certificate.script, text_of(script),
                 is_refuted_by(script, distance_multipliers(flow, product)), std::nullopt});
        }
    }
    return scripts;
}

/// What is wrong with a script, if anything. The shipped text must be the one that follows from
/// control flow, table and facts; only such a text is given to the solvers. They are asked where
/// the constraints do not add up to a contradiction, or where the user asked for the second.
std::optional<StepResult> check_script(const ScriptCase& script, const Options& options,
                                       const std::optional<std::string>& cvc5) {
    if (*script.shipped != script.expected)
        return wrong(Verdict::Failed,
                     fmt::format("{}: not the script of its certificate: {}", script.where,
                                 first_difference(script.expected, *script.shipped)));
    if (script.is_refuted && !options.second_solver) return std::nullopt;
    const Answer answer =
        script.is_refuted ? Answer::Unsat : ask_z3(script.expected, options.solver_limit);
    if (answer == Answer::Sat)
        return wrong(Verdict::Failed, script.where + ": Z3 finds counts beyond the bound");
    if (answer == Answer::Unknown)
        return wrong(Verdict::Undecided, script.where + ": Z3 gives no answer within its limit");
    if (!cvc5) return std::nullopt;
    const Answer second = ask_cvc5(*cvc5, *script.shipped, options.solver_limit);
    if (second == Answer::Sat)
        return wrong(Verdict::Failed, script.where + ": cvc5 finds counts beyond the bound");
    if (second == Answer::Unknown)
        return wrong(Verdict::Undecided, script.where + ": cvc5 gives no answer within its limit");
    return std::nullopt;
}

std::string summary_of(const std::vector<ScriptCase>& scripts, const Options& options,
                       bool has_cvc5) {
    const auto refuted = std::count_if(scripts.begin(), scripts.end(),
                                       [](const ScriptCase& script) { return script.is_refuted; });
    const auto others = static_cast<std::ptrdiff_t>(scripts.size()) - refuted;
    std::string text = fmt::format("{} scripts are those of their certificates", scripts.size());
    if (refuted != 0) text += fmt::format("; {} unsat by addition (Farkas' lemma)", refuted);
    if (others != 0) text += fmt::format("; {} unsat in {}", others, z3_version());
    if (options.second_solver)
        text += "; all unsat in cvc5";
    else if (others != 0)
        text += has_cvc5 ? " and cvc5" : "; cvc5 is not on PATH";
    return text;
}

/// Requires: evidence whose structure holds.
StepResult check_scripts(const Evidence& evidence, const Options& options) {
    const auto cvc5 = find_cvc5();
    if (options.second_solver && !cvc5)
        return wrong(Verdict::Incomplete, "cvc5 was asked for and is not on PATH");
    std::vector<ScriptCase> scripts = scripts_of(evidence);
    std::atomic<std::size_t> next{0};
    const auto work = [&] {
        for (std::size_t i = next++; i < scripts.size(); i = next++)
            scripts[i].finding = check_script(scripts[i], options, cvc5);
    };
    run_in_threads(options.threads, work);
    // A wrong answer counts more than a missing one; the first of each in order.
    for (const Verdict verdict : {Verdict::Failed, Verdict::Undecided})
        for (const ScriptCase& script : scripts)
            if (script.finding && script.finding->verdict == verdict) return *script.finding;
    return wrong(Verdict::Holds, summary_of(scripts, options, cvc5.has_value()));
}

/// Descriptions that are not those that this program was built with, whatever the bundle says.
std::string machines_not_shipped(const Evidence& evidence) {
    std::set<std::string> labels;
    for (const auto& kernel : evidence.kernels)
        if (models::provenance_of(kernel->architecture).standing != models::Standing::Shipped)
            labels.insert(models::label_of(kernel->architecture));
    return labels.empty() ? "" : fmt::format("; machine {}", fmt::join(labels, ", "));
}

/// The bundle inside one about pipelines, as one step: its own steps in one line.
StepResult verify_kernels(const Files& files, const Options& options) {
    Options inner = options;
    inner.report_id.reset();
    inner.public_key.reset();
    inner.started = nullptr;
    inner.finished = nullptr;
    const auto steps = verify(files, inner);
    const Verdict verdict = overall(steps);
    if (verdict == Verdict::Holds)
        return {"kernels", verdict,
                fmt::format("{} files of a bundle of their own; {}", files.size(),
                            conclusion_of(steps))};
    const auto first = std::find_if(steps.begin(), steps.end(), [&](const StepResult& step) {
        return step.verdict == verdict;
    });
    return {"kernels", verdict, fmt::format("kernels: {}: {}", first->step, first->detail)};
}

StepResult read_schema(const Files& files, const Options& options, Evidence& evidence) {
    try {
        evidence = read_evidence(files, options.decoder);
        return {"schema", Verdict::Holds,
                fmt::format("{} kernels; claims, kinds and assumptions belong together{}",
                            evidence.kernels.size(), machines_not_shipped(evidence))};
    } catch (const Finding& finding) {
        return {"schema", finding.verdict, finding.what()};
    }
}

} // namespace

std::string to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::Holds:
        return "passed";
    case Verdict::Estimated:
        return "estimated";
    case Verdict::NotApplicable:
        return "not applicable";
    case Verdict::Claimed:
        return "claimed";
    case Verdict::Undecided:
        return "undecided";
    case Verdict::Incomplete:
    case Verdict::LimitReached:
        return "incomplete";
    case Verdict::Violated:
        return "violated";
    case Verdict::Failed:
        return "failed";
    case Verdict::Tampered:
        return "tampered";
    default:
        return "not run";
    }
}

std::vector<StepResult> verify(const Files& files, const Options& options) {
    if (is_about_pipelines(files))
        return verify_pipeline(
            files, options, [&](const Files& kernels) { return verify_kernels(kernels, options); });
    Steps steps{options};
    steps.run("signature", [&] { return check_signature(files, options.public_key); });
    if (steps.run("digests", [&] { return check_digests(files, options.report_id); }) !=
        Verdict::Holds) {
        steps.skip({"schema", "structure", "solver", "execution", "refit", "re-analysis",
                    "observations", "replay", "requirements"},
                   "the files are not those of the manifest");
        return steps.results();
    }
    Evidence evidence;
    if (steps.run("schema", [&] { return read_schema(files, options, evidence); }) !=
        Verdict::Holds) {
        steps.skip({"structure", "solver", "execution", "refit", "re-analysis", "observations",
                    "replay", "requirements"},
                   "the evidence cannot be read");
        return steps.results();
    }
    steps.run("tool", [&] {
        return check_tool({evidence.tool_version, evidence.components}, options);
    });
    if (steps.run("structure", [&] { return check_structure(evidence); }) == Verdict::Holds)
        steps.run("solver", [&] { return check_scripts(evidence, options); });
    else
        steps.skip({"solver"}, "the structure is wrong");
    steps.run("execution", [&] { return check_execution(evidence); });
    steps.run("refit", [&] { return check_refit(evidence); });
    steps.run("re-analysis", [&] { return check_again(files, evidence.tool_version, options); });
    switch (steps.run("observations", [&] { return check_observations(evidence); })) {
    case Verdict::Holds:
        steps.run("replay",
                  [&] { return check_replay(evidence, options.replay, options.threads); });
        break;
    case Verdict::NotApplicable:
        steps.add({"replay", Verdict::NotApplicable, "the bundle holds no recorded runs"});
        break;
    default:
        steps.skip({"replay"}, "the observations are wrong");
    }
    // Claims that do not follow from their evidence decide nothing.
    const Verdict checked = overall(steps.results());
    if (checked == Verdict::Tampered || checked == Verdict::Failed)
        steps.skip({"requirements"}, "the claims do not follow from the evidence");
    else
        steps.run("requirements", [&] { return check_requirements(files, evidence); });
    return steps.results();
}

Verdict overall(const std::vector<StepResult>& steps) {
    for (const Verdict verdict :
         {Verdict::Tampered, Verdict::Failed, Verdict::Violated, Verdict::Incomplete,
          Verdict::LimitReached, Verdict::Undecided, Verdict::Estimated})
        if (std::any_of(steps.begin(), steps.end(),
                        [&](const StepResult& step) { return step.verdict == verdict; }))
            return verdict;
    return Verdict::Holds;
}

std::string conclusion_of(const std::vector<StepResult>& steps) {
    const Verdict verdict = overall(steps);
    if (verdict == Verdict::Estimated)
        return "holds as a hybrid estimate: a time of a stage was measured, not proved";
    if (verdict != Verdict::Holds) return to_string(verdict);
    const bool required = std::any_of(steps.begin(), steps.end(), [](const StepResult& step) {
        return step.step == "requirements" && step.verdict == Verdict::Holds;
    });
    return required ? "holds" : "the evidence checks; no requirement was stated";
}

} // namespace warpbound::certification::verify
