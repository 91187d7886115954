/// \file
/// `warpbound trace`: executes a launch on the data of its arguments and writes its SASS trace.

#include "assembly/support/stop_token.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "cli/simulation/executed_run.hpp"
#include "harness/execution/trace_writer.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <filesystem>
#include <memory>

namespace warpbound::cli {

namespace {

struct TraceCommandOptions {
    LaunchOptions launch;
    ExecutionOptions execution;
    std::string output;
};

/// The text of a small file.
Result<void> write_file(const std::string& path, std::string_view text) {
    auto file = ResultFile::open(path);
    if (!file) return file.as_failure();
    file.value().write(text);
    return file.value().commit();
}

Result<ExecutedRun> write_trace(const TraceCommandOptions& options, const std::string& path) {
    auto file = ResultFile::open(path);
    if (!file) return file.as_failure();
    harness::execution::TraceWriter writer{[&](std::string_view text) -> Result<void> {
        file.value().write(text);
        return boost::outcome_v2::success();
    }};
    auto run = execute(options.launch, options.execution, nullptr, &writer);
    if (!run) return run;
    if (auto written = file.value().commit(); !written) return written.as_failure();
    return run;
}

Exit run(const TraceCommandOptions& options) {
    std::error_code failed;
    std::filesystem::create_directories(options.output, failed);
    if (failed) return refuse(Failure{"the folder cannot be made", options.output});
    const std::filesystem::path folder{options.output};
    const std::string trace = (folder / "kernel-1.traceg").string();
    const auto executed = write_trace(options, trace);
    if (!executed && stop_requested()) return Exit::Undecided;
    if (!executed) return refuse(executed.error());
    if (auto stored = write_outputs(options.execution, executed.value()); !stored)
        return refuse(stored.error());
    const auto differences = differences_of(options.execution, executed.value());
    if (!differences) return refuse(differences.error());
    std::string list;
    for (const auto& buffer : executed.value().executed->memory().buffers())
        list += fmt::format("MemcpyHtoD,0x{:016x},{}\n", buffer.base, buffer.bytes.size());
    if (auto written = write_file((folder / "kernelslist.g").string(), list + "kernel-1.traceg\n");
        !written)
        return refuse(written.error());
    for (const std::string& one : differences.value())
        say("warpbound: {}\n", one);
    if (!differences.value().empty()) return Exit::Violated;
    std::string out = execution_text(executed.value());
    for (const std::string& assumption : assumptions_of(executed.value()))
        out += fmt::format("assumed: {}\n", assumption);
    out += fmt::format("trace: {}\n", trace);
    suggest(fmt::format("warpbound simulate {} --listing {} --gpu NAME",
                        shell_word((folder / "kernelslist.g").string()),
                        shell_word(options.launch.kernel.file)));
    return write_result(out);
}

} // namespace

void add_trace(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<TraceCommandOptions>();
    CLI::App* command = app.add_subcommand(
        "trace", "Execute a launch on the data of its arguments and write its SASS trace");
    options->launch.kernel.add_to(*command);
    options->launch.launch.add_to(*command);
    add_execution_arguments(*command, options->launch.arguments);
    options->execution.add_inputs_to(*command, "--write");
    command
        ->add_option("-o,--output", options->output,
                     "Folder of the trace: kernel-1.traceg and kernelslist.g")
        ->required();
    command->footer("Example: warpbound trace examples/everyday/transpose.sm_75.sass\n"
                    "           --grid 4x4 --block 32x8 --arg 0x160=buffer:f32:128x128:iota\n"
                    "           --arg 0x168=buffer:f32:128x128:zero --arg 0x170=128\n"
                    "           --arg 0x174=128 -o traces");
    command->callback([options, &invocation] {
        invocation.run = [options] {
            const StopScope scope = watch_for_interrupt();
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
