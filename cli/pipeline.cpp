/// \file
/// `warpbound pipeline`: end-to-end latency of pipelines that share a GPU, against deadlines.

#include "cli/command.hpp"
#include "cli/next_step.hpp"
#include "cli/pipeline_answer.hpp"
#include "cli/pipeline_times.hpp"
#include "models/pipeline/pipeline_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace warpbound::cli {

namespace {

struct PipelineOptions {
    std::string file;
    std::string format = "text";
    std::string output = "-";
    std::int64_t runs = 0;
    std::uint64_t seed = 1;
    double time_limit = 60;
    bool sensitivity = false;
    bool wants_template = false;
};

void simulate(const PipelineOptions& options, PipelineAnswer& answer) {
    for (std::int64_t run = 0; run < options.runs && !interrupted(); ++run) {
        harness::simulate_pipelines(answer.system,
                                    {.seed = options.seed + static_cast<std::uint64_t>(run),
                                     .jobs = 50,
                                     .starts_together = run % 2 == 0,
                                     .takes_longest = run % 4 < 2},
                                    answer.observed);
        ++answer.runs;
    }
}

Exit run(const PipelineOptions& options) {
    if (options.wants_template)
        return write_result(std::string{models::pipelines_template()}, options.output);
    if (options.file.empty()) {
        say("warpbound: FILE is missing; expected a description of pipelines (--template prints "
            "one to begin with)\n");
        return Exit::Usage;
    }
    if (const auto checked = check_output(options.output, options.file); !checked)
        return refuse(checked.error());
    const auto source = assembly::read_source(options.file);
    if (!source) return refuse(source.error());
    auto system = models::read_pipelines(source.value());
    if (!system) return refuse(system.error());
    PipelineAnswer answer;
    answer.system = std::move(system).value();
    const auto kernels = complete_times(answer.system, options.time_limit);
    if (!kernels) return refuse(kernels.error());
    answer.together = analyzer::bound_latency(answer.system);
    for (std::size_t p = 0; p < answer.system.pipelines.size(); ++p)
        answer.alone.push_back(analyzer::bound_latency(models::alone(answer.system, p)));
    answer.assumptions = analyzer::pipeline_assumptions(answer.system);
    for (const auto& assumption : kernels.value()) {
        answer.assumptions.push_back(assumption);
        answer.assumptions.back().id = fmt::format("P{}", answer.assumptions.size());
    }
    answer.wants_sensitivity = options.sensitivity;
    if (options.sensitivity) answer.sensitivity = analyzer::sensitivity(answer.system);
    simulate(options, answer);
    const Exit written = write_result(
        options.format == "json" ? json_of(answer) : text_of(answer, is_quiet()), options.output);
    if (options.runs == 0)
        suggest(fmt::format("warpbound pipeline {} --simulate 200 --sensitivity",
                            shell_word(options.file)));
    return written == Exit::Holds ? exit_of(answer) : written;
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
        ->add_option("--time-limit", options->time_limit,
                     "Seconds for the analysis of a kernel; the best bound so far is then used")
        ->check(refusal_of_number)
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "File of the result; - is standard output")
        ->capture_default_str();
    add_format(*command, options->format, {"text", "json"});
    command->footer("Example: warpbound pipeline examples/pipeline/camera.xml --simulate 200 "
                    "--sensitivity");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
