#pragma once
/// \file
/// Launches executed on the data of their arguments.

#include "cli/program/command.hpp"
#include "harness/execution/executed_launch.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace warpbound::cli {

/// Options --execute, --output, --expect, --constants and --instruction-limit.
struct ExecutionOptions {
    bool is_wanted = false;
    std::vector<std::string> outputs;   ///< NAME=FILE
    std::vector<std::string> expected;  ///< NAME=FILE[,tolerance=T]
    std::vector<std::string> constants; ///< BANK=buffer:..
    std::int64_t instruction_limit = harness::execution::LaunchInputs::default_instruction_limit;

    void add_to(CLI::App& command);
    /// Those without --execute, for a command that always executes. `output`: what --output is
    /// called there.
    void add_inputs_to(CLI::App& command, const std::string& output = "--output");
};

/// Adds --arg with the forms of an executed launch.
void add_execution_arguments(CLI::App& command, std::vector<std::string>& arguments);

/// A launch that was executed, with what it refers to.
struct ExecutedRun {
    std::unique_ptr<LoadedKernel> kernel;
    models::Launch launch;
    models::FlowFacts facts; ///< None; the digest is that of all inputs.
    std::unique_ptr<harness::execution::ExecutedLaunch> executed;

    /// Points into this.
    [[nodiscard]] harness::Kernel launched() const {
        return {kernel->function, &kernel->graph, &facts, launch, executed.get()};
    }
};

/// Refuses what `load_launch` refuses of kernel and launch, inputs that cannot be read, and what
/// the execution refuses. Ctrl-C stops it.
/// `architecture`: null: any. `listener`: null: none.
Result<ExecutedRun> execute(const LaunchOptions& options, const ExecutionOptions& execution,
                            const models::Architecture* architecture,
                            harness::execution::IssueListener* listener = nullptr);

/// Writes the buffers that --output names. Refuses unknown names and files that cannot be written.
Result<void> write_outputs(const ExecutionOptions& options, const ExecutedRun& run);
/// How buffers differ from the references of --expect, one line each.
Result<std::vector<std::string>> differences_of(const ExecutionOptions& options,
                                                const ExecutedRun& run);

/// What the execution assumes.
std::vector<std::string> assumptions_of(const ExecutedRun& run);
/// Instructions, coverage, and the checksum of each buffer that was written.
std::string execution_text(const ExecutedRun& run);
nlohmann::ordered_json execution_json(const ExecutedRun& run);

} // namespace warpbound::cli
