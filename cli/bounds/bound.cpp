/// \file
/// `warpbound bound`: from a file, a launch and a deadline to a verdict in seconds.

#include "analyzer/launch/needs.hpp"
#include "assembly/support/stop_token.hpp"
#include "certification/report/report.hpp"
#include "cli/bounds/bound_answer.hpp"
#include "cli/bounds/bound_table.hpp"
#include "cli/bounds/launch_analysis.hpp"
#include "cli/bounds/thread_trace_bounds.hpp"
#include "cli/inputs/code_decoder.hpp"
#include "cli/output/next_step.hpp"
#include "cli/output/report_file.hpp"
#include "cli/program/command.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>

namespace warpbound::cli {

namespace {

struct BoundOptions : AnalysisOptions {
    std::vector<std::string> outputs;
    std::string format = "text";
    StmOptions stm;
    double time_limit = 60;
    bool all = false;
    std::string trace; ///< Folder of a thread trace; empty: none.
};

/// The report, or what is needed for it.
Result<void> answer(const BoundOptions& options, const LoadedLaunch& inputs, const StopScope& scope,
                    BoundAnswer& answer) {
    auto planned = analysis_of(options, inputs);
    if (!planned) return planned.as_failure();
    planned.value().request.follow_branches = true;
    auto needs = analyzer::needs_of(planned.value().request);
    if (!needs) return needs.as_failure();
    answer.needs = std::move(needs).value();
    if (!answer.needs.empty()) {
        answer.dropped = scope.dropped();
        return boost::outcome_v2::success();
    }
    const auto analysis = analyzer::analyze(planned.value().request);
    if (!analysis) return analysis.as_failure();
    answer.report = report_of(options, inputs, planned.value(), analysis.value(), scope);
    if (options.trace.empty()) return boost::outcome_v2::success();
    auto held = held_thread_trace(options.trace, *inputs.kernel, planned.value().request);
    if (!held) return held.as_failure();
    answer.report->thread_trace = std::move(held).value();
    return boost::outcome_v2::success();
}

BoundAnswer answer_of(const BoundOptions& options, const models::Architecture& architecture,
                      harness::toolchain::KernelFile& file, std::size_t index) {
    BoundAnswer result;
    result.kernel = file.kernels()[index].name;
    const StopScope scope = watch_for_interrupt(options.time_limit);
    const auto attempt = [&]() -> Result<void> {
        const auto code = file.read(index);
        if (!code) return code.as_failure();
        auto kernel = load_kernel(code.value(), options.launch.kernel);
        if (!kernel) return kernel.as_failure();
        const auto inputs = load_launch(options.launch, architecture, std::move(kernel).value());
        if (!inputs) return inputs.as_failure();
        result.parameters = inputs.value().kernel->parameters;
        return answer(options, inputs.value(), scope, result);
    };
    try {
        if (const auto done = attempt(); !done) result.refusal = done.error();
    } catch (const Stopped& stopped) {
        result.refusal = Failure{stopped.what(), result.kernel};
        result.was_stopped = true;
    }
    return result;
}

/// The kernels to bound, by their index in the file.
Result<std::vector<std::size_t>> chosen_kernels(const BoundOptions& options,
                                                const harness::toolchain::KernelFile& file) {
    std::vector<std::size_t> chosen(file.kernels().size());
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    if (options.all) return chosen;
    const auto one = file.find(options.launch.kernel.kernel);
    if (!one) return one.as_failure();
    return std::vector{one.value()};
}

/// The exit code of several kernels: what needs attention first.
Exit exit_of(const std::vector<BoundAnswer>& answers) {
    for (const Exit first : {Exit::Violated, Exit::Refused, Exit::Undecided})
        if (std::any_of(answers.begin(), answers.end(),
                        [&](const BoundAnswer& each) { return exit_of(each) == first; }))
            return first;
    return Exit::Holds;
}

/// Whether each file can be written, as far as its name tells.
bool outputs_are_possible(const BoundOptions& options) {
    for (const auto& path : options.outputs) {
        if (table_format_of(path)) continue;
        if (!report_format_of(path)) {
            say("warpbound: {}: an output ends in .html, .xml, .json, .txt, .csv, or .yaml for an "
                "STM graph\n",
                path);
            return false;
        }
        if (options.all) {
            say("warpbound: {}: a report is of one kernel; give --kernel, not --all, or a file "
                "that "
                "ends in .csv or .yaml\n",
                path);
            return false;
        }
    }
    return true;
}

Result<std::string> rendered(const std::vector<BoundAnswer>& answers, const BoundOptions& options,
                             const std::string& format) {
    if (format == "stm")
        return stm_of(answers, options.stm,
                      std::filesystem::path{options.launch.kernel.file}.stem().string());
    if (format == "csv") return csv_of(answers);
    if (format == "json") return json_of(answers);
    return options.all ? table_of(answers) : text_of(answers.front(), is_quiet());
}

/// The files of --output. A report is written where there is one.
Exit write_outputs(const std::vector<BoundAnswer>& answers, const BoundOptions& options) {
    for (const auto& path : options.outputs) {
        const auto table = table_format_of(path);
        if (!table && !answers.front().report) continue;
        const auto text = table ? rendered(answers, options, *table)
                                : Result<std::string>{render_report(*answers.front().report,
                                                                    *report_format_of(path))};
        if (!text) return refuse(text.error());
        if (const Exit written = write_result(text.value(), path); written != Exit::Holds)
            return written;
        note("warpbound: wrote {}\n", path);
    }
    return Exit::Holds;
}

Exit run(const BoundOptions& options) {
    if (!outputs_are_possible(options)) return Exit::Usage;
    const auto architecture = load_machine(options.launch.machine);
    if (!architecture) return refuse(architecture.error());
    const StopScope reading = watch_for_interrupt(options.time_limit);
    auto file = open_kernel_file(options.launch.kernel.file, options.launch.kernel.target,
                                 architecture.value().target, &code_decoder());
    if (!file) return refuse(file.error());
    const auto chosen = chosen_kernels(options, file.value());
    if (!chosen) return refuse(chosen.error());
    std::vector<BoundAnswer> answers;
    for (const std::size_t kernel : chosen.value()) {
        answers.push_back(answer_of(options, architecture.value(), file.value(), kernel));
        if (interrupted()) break;
    }
    if (!options.all && answers.front().refusal) {
        const Exit refused = refuse(*answers.front().refusal);
        return answers.front().was_stopped ? Exit::Undecided : refused;
    }
    if (const Exit written = write_outputs(answers, options); written != Exit::Holds)
        return written;
    const auto text = rendered(answers, options, options.format);
    if (!text) return refuse(text.error());
    const Exit written = write_result(text.value());
    if (!options.all) suggest(next_step_of(answers.front(), options));
    return written == Exit::Holds ? exit_of(answers) : written;
}

} // namespace

void add_bound(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<BoundOptions>();
    CLI::App* command = app.add_subcommand(
        "bound", "Bound the time of a launch and compare it with a deadline: the answer first, "
                 "then why");
    options->add_to(*command);
    command
        ->add_flag("--all", options->all, "Every kernel of the file, with this launch, as a table")
        ->excludes(command->get_option("--kernel"))
        ->excludes(command->get_option("--flow-facts"));
    command
        ->add_option("--trace", options->trace,
                     "Folder ui_output_* of AMD's rocprofv3 --att that recorded this launch: each "
                     "instruction is held against its bounds, and drawn in an .html file of -o; "
                     "what is outside is named (exit code 1)")
        ->excludes(command->get_option("--all"));
    command
        ->add_option("--time-limit", options->time_limit,
                     "Seconds for the analysis of a kernel; the best bound so far is then given")
        ->check(refusal_of_number)
        ->capture_default_str();
    command->add_option("-o,--output", options->outputs,
                        "Report file: .html, .xml, .json or .txt; table of all kernels: .csv, or "
                        ".yaml, a compute graph of NVIDIA DRIVE's STM; may be repeated");
    add_format(*command, options->format, {"text", "json", "csv", "stm"});
    options->stm.add_to(*command);
    command->footer("Example: warpbound bound examples/saxpy/sm_75.sass --gpu turing-t4 --grid 2 "
                    "--block 128\n"
                    "           --flow-facts examples/saxpy/sm_75.flow-facts.xml --deadline 10us");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
