/// \file
/// `warpbound pipeline`: end-to-end latency of pipelines that share a GPU, against deadlines.

#include "assembly/support/stop_token.hpp"
#include "certification/pipeline/pipeline_report.hpp"
#include "certification/pipeline/pipeline_stm.hpp"
#include "cli/bounds/bound_table.hpp"
#include "cli/evidence/evidence_folder.hpp"
#include "cli/output/next_step.hpp"
#include "cli/output/report_file.hpp"
#include "cli/pipeline/pipeline_bundle.hpp"
#include "cli/pipeline/pipeline_samples.hpp"
#include "cli/pipeline/pipeline_times.hpp"
#include "cli/program/command.hpp"
#include "cli/version.hpp"
#include "models/pipeline/pipeline_file.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>

namespace warpbound::cli {

namespace {

using certification::PipelineReport;

struct PipelineOptions {
    std::string file;
    std::string format = "text";
    std::vector<std::string> outputs;
    StmOptions stm;
    std::string evidence; ///< Folder; empty: none.
    std::string key;
    std::int64_t runs = 0;
    std::uint64_t seed = 1;
    double time_limit = 300;
    bool sensitivity = false;
    bool wants_template = false;
};

/// What needs attention first: violated or refuted, incomplete, undecided. Estimates decide
/// nothing.
Exit exit_of(const PipelineReport& report) {
    if (report.is_refuted()) return Exit::Violated;
    Exit exit = report.together.missing.empty() ? Exit::Holds : Exit::Refused;
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p) {
        const auto verdict = report.verdict(p);
        if (verdict == models::DeadlineVerdict::Violated) return Exit::Violated;
        if (exit == Exit::Holds &&
            (verdict == models::DeadlineVerdict::Undecided || !report.together.pipelines[p].upper))
            exit = Exit::Undecided;
    }
    return exit;
}

void simulate(const PipelineOptions& options, PipelineReport& report) {
    for (std::int64_t run = 0; run < options.runs && !stop_requested(); ++run) {
        harness::simulate_pipelines(report.system,
                                    {.seed = options.seed + static_cast<std::uint64_t>(run),
                                     .jobs = 50,
                                     .starts_together = run % 2 == 0,
                                     .takes_longest = run % 4 < 2},
                                    report.observed);
        ++report.runs;
    }
}

/// The assumptions with ids that follow those that are there.
void add_assumptions(const std::vector<analyzer::PipelineAssumption>& more,
                     PipelineReport& report) {
    for (const auto& assumption : more) {
        report.assumptions.push_back(assumption);
        report.assumptions.back().id = fmt::format("P{}", report.assumptions.size());
    }
}

struct PipelineAnswer {
    PipelineReport report;
    std::optional<certification::PipelineBundle> bundle; ///< Where evidence is asked for.
    std::vector<std::string> unfinished; ///< What a limit left out of what was asked for.
};

// Parts of the time left; the rest is for what follows.
constexpr double share_of_evidence = 0.8;
constexpr double share_of_sensitivity = 0.5;

/// The bundle, where the system has upper bounds. The times that have evidence become those of the
/// report.
Result<void> add_bundle(const PipelineOptions& options, const std::string& description,
                        PipelineAnswer& answer) {
    PipelineReport& report = answer.report;
    if (!report.together.missing.empty() || !report.together.refusal.empty()) {
        say("warpbound: without an upper bound no evidence is written\n");
        return boost::outcome_v2::success();
    }
    const StopScope scope{current_stop().with_share(share_of_evidence)};
    auto made = pipeline_bundle(report.system, description, options.key);
    if (!made) return made.as_failure();
    answer.bundle = std::move(made).value();
    if (!answer.bundle) {
        answer.unfinished.emplace_back("the evidence, of which nothing was written");
        return boost::outcome_v2::success();
    }
    report.system = answer.bundle->system;
    report.together = analyzer::bound_latency(report.system);
    return boost::outcome_v2::success();
}

Result<PipelineAnswer> answer_of(const PipelineOptions& options) {
    const auto source = assembly::read_source(options.file);
    if (!source) return source.as_failure();
    auto system = models::read_pipelines(source.value());
    if (!system) return system.as_failure();
    PipelineAnswer answer;
    PipelineReport& report = answer.report;
    report.tool_version = version;
    report.system = std::move(system).value();
    // Evidence bounds the kernels again.
    const auto completed = complete_times(
        report.system,
        1 + (options.evidence.empty()
                 ? 0
                 : static_cast<double>(certification::kernels_of(report.system).size())));
    if (!completed) return completed.as_failure();
    const auto samples = load_samples(report.system, completed.value());
    if (!samples) return samples.as_failure();
    report.together = analyzer::bound_latency(report.system);
    if (!options.evidence.empty())
        if (auto added = add_bundle(options, source.value().text, answer); !added)
            return added.as_failure();
    for (std::size_t p = 0; p < report.system.pipelines.size(); ++p) {
        report.alone.push_back(analyzer::bound_latency(models::alone(report.system, p)));
        report.misses.push_back(analyzer::miss_probability(
            report.system.pipelines[p], report.together.pipelines[p], samples.value().times[p]));
    }
    report.assumptions = analyzer::pipeline_assumptions(report.system);
    add_assumptions(completed.value().assumptions, report);
    add_assumptions(analyzer::sample_assumptions(report.system), report);
    add_assumptions(samples.value().assumptions, report);
    if (options.sensitivity) {
        const auto found = unless_stopped([&] { return analyzer::sensitivity(report.system); },
                                          share_of_sensitivity);
        report.wants_sensitivity = found.has_value();
        if (found)
            report.sensitivity = *found;
        else
            answer.unfinished.emplace_back("the sensitivity, which is left out");
    }
    simulate(options, report);
    if (report.runs < options.runs)
        answer.unfinished.push_back(
            fmt::format("the simulation after {} of {} runs", report.runs, options.runs));
    return answer;
}

/// Writes the evidence, unless a simulated run refutes it.
Exit write_bundle(const PipelineOptions& options, const PipelineAnswer& answer) {
    if (!answer.bundle) return Exit::Holds;
    if (answer.report.is_refuted()) {
        say("warpbound: a simulated latency lies outside its bounds; no evidence was written\n");
        return Exit::Violated;
    }
    if (const auto done = write_evidence(options.evidence, answer.bundle->files); !done)
        return refuse(done.error());
    note("evidence   {}, {} files\nreport id  {}\n", options.evidence, answer.bundle->files.size(),
         answer.bundle->report_id);
    suggest(fmt::format("warpbound verify {}", shell_word(options.evidence)));
    return Exit::Holds;
}

Result<std::string> stm_of(const PipelineReport& report, const PipelineOptions& options) {
    const auto submission = options.stm.submission_time();
    if (!submission) return submission.as_failure();
    const auto graph = certification::stm_graph(
        report, std::filesystem::path{options.file}.stem().string(), submission.value());
    if (!graph) return graph.as_failure();
    return certification::render_stm(graph.value());
}

Result<std::string> rendered(const PipelineReport& report, const PipelineOptions& options,
                             const std::string& format) {
    if (format == "stm") return stm_of(report, options);
    if (format == "csv") return certification::render_csv(report);
    if (format == "json") return certification::render_json(report);
    if (format == "xml") return certification::render_xml(report);
    if (format == "html") return certification::render_html(report);
    return certification::render_text(report, is_quiet());
}

/// html, xml, json, text, csv or stm by the ending of a file.
std::optional<std::string> output_format_of(const std::string& path) {
    if (const auto table = table_format_of(path)) return table;
    return report_format_of(path);
}

Exit check_outputs(const PipelineOptions& options) {
    for (const auto& path : options.outputs) {
        if (!output_format_of(path)) {
            say("warpbound: {}: an output ends in .html, .xml, .json, .txt, .csv, or .yaml for an "
                "STM graph\n",
                path);
            return Exit::Usage;
        }
        if (const auto checked = check_output(path, options.file); !checked)
            return refuse(checked.error());
    }
    return Exit::Holds;
}

Exit write_outputs(const PipelineReport& report, const PipelineOptions& options) {
    for (const auto& path : options.outputs) {
        const auto text = rendered(report, options, *output_format_of(path));
        if (!text) return refuse(text.error());
        if (const Exit written = write_result(text.value(), path); written != Exit::Holds)
            return written;
        note("warpbound: wrote {}\n", path);
    }
    return Exit::Holds;
}

Exit write_template(const PipelineOptions& options) {
    const std::string text{models::pipelines_template()};
    if (options.outputs.empty()) return write_result(text);
    for (const auto& path : options.outputs)
        if (const Exit written = write_result(text, path); written != Exit::Holds) return written;
    return Exit::Holds;
}

Exit run(const PipelineOptions& options) {
    if (options.wants_template) return write_template(options);
    if (options.file.empty()) {
        say("warpbound: FILE is missing; expected a description of pipelines (--template prints "
            "one to begin with)\n");
        return Exit::Usage;
    }
    if (const Exit possible = check_outputs(options); possible != Exit::Holds) return possible;
    const auto answer = answer_of(options);
    if (!answer) return refuse(answer.error());
    const PipelineReport& report = answer.value().report;
    if (const Exit kept = write_bundle(options, answer.value()); kept != Exit::Holds) return kept;
    if (const Exit written = write_outputs(report, options); written != Exit::Holds) return written;
    const auto text = rendered(report, options, options.format);
    if (!text) return refuse(text.error());
    if (const Exit written = write_result(text.value()); written != Exit::Holds) return written;
    for (const std::string& what : answer.value().unfinished)
        say("warpbound: {} stopped {}{}\n", interrupted() ? "an interrupt" : "the time limit", what,
            interrupted() ? "" : "; expected a larger --time-limit");
    if (!answer.value().bundle && (options.runs == 0 || options.outputs.empty()))
        suggest(fmt::format("warpbound pipeline {} --simulate 200 --sensitivity -o pipeline.html",
                            shell_word(options.file)));
    const Exit exit = exit_of(report);
    return exit == Exit::Holds && !answer.value().unfinished.empty() ? Exit::Undecided : exit;
}

} // namespace

void add_pipeline(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<PipelineOptions>();
    CLI::App* command = app.add_subcommand(
        "pipeline", "Bound the end-to-end latency of pipelines that share a GPU and compare it "
                    "with deadlines");
    command->add_option("FILE", options->file,
                        "Description of the pipelines (XML); - reads standard input");
    command->add_flag("--template", options->wants_template,
                      "Print a description to begin with, and do nothing else");
    command
        ->add_option("--simulate", options->runs,
                     "Simulated runs of at least 50 jobs of each pipeline to hold against the "
                     "bounds")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000}));
    command->add_option("--seed", options->seed, "Seed of the first simulated run")
        ->capture_default_str();
    command->add_flag("--sensitivity", options->sensitivity,
                      "How much each time, rate and the clock may change until a deadline is no "
                      "longer guaranteed");
    command
        ->add_option(
            "--time-limit", options->time_limit,
            "Seconds for the whole command. Kernels then have the best bounds so far; what "
            "else is not finished is left out, which is said, with exit code 4")
        ->check(refusal_of_number)
        ->capture_default_str();
    command->add_option("--evidence", options->evidence,
                        "Folder for a bundle that `verify` checks on its own");
    command
        ->add_option("--sign", options->key,
                     "Sign the manifest of the evidence with this Ed25519 private key (PEM)")
        ->needs("--evidence");
    command->add_option("-o,--output", options->outputs,
                        "Report file: .html, .xml, .json or .txt; a row per stage: .csv; .yaml, a "
                        "compute graph of NVIDIA DRIVE's STM; may be repeated. With --template, "
                        "file of the description");
    add_format(*command, options->format, {"text", "json", "xml", "html", "csv", "stm"});
    options->stm.add_submission_to(*command);
    command->footer("Example: warpbound pipeline examples/pipeline/camera.xml --simulate 200 "
                    "--sensitivity\n"
                    "           -o pipeline.html");
    command->callback([options, &invocation] {
        invocation.run = [options] {
            const StopScope scope = watch_for_interrupt(options->time_limit);
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
