/// \file
/// `warpbound flow-facts`: a template of the flow facts that the analysis needs.

#include "analyzer/flow/flow_facts_template.hpp"
#include "cli/inputs/kernel_arguments.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "models/architecture/architecture.hpp"
#include "models/facts/facts_merge.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpbound::cli {

namespace {

struct FlowFactsOptions {
    LaunchOptions launch;
    std::string output = "-";
    bool overwrite = false;
};

/// The launch that is stated, of which --block may be all; none: nothing is stated.
Result<std::optional<models::Launch>> stated_launch(const FlowFactsOptions& options,
                                                    const assembly::Function& function) {
    const LaunchText& text = options.launch.launch;
    if (!text.is_given()) return std::optional<models::Launch>{};
    auto launch = launch_of(text, &function);
    if (!launch) return launch.as_failure();
    return std::optional{std::move(launch).value()};
}

/// The block shape that facts of threads are derived for: of --block, else of the launch.
Result<std::optional<models::BlockShape>> shape_of(const FlowFactsOptions& options,
                                                   const std::optional<models::Launch>& launch) {
    const LaunchText& text = options.launch.launch;
    if (text.block.empty())
        return launch ? std::optional{models::block_shape_of(*launch)} : std::nullopt;
    const auto shape = models::parse_block_shape(text.block);
    if (!shape) return Failure{shape.error().what, "--block"};
    if (launch && launch->threads != shape.value().count())
        return Failure{.what = fmt::format("--block {} has {} threads, --launch {} has blocks of "
                                           "{}",
                                           text.block, shape.value().count(), text.launch,
                                           launch->threads),
                       .where = {}};
    return std::optional{shape.value()};
}

/// ": loop 0x0100, memory 0x0090, and 7 more".
std::string list_of(std::vector<std::string> facts) {
    constexpr std::size_t most = 8;
    if (facts.empty()) return {};
    const std::size_t more = facts.size() > most ? facts.size() - most : 0;
    facts.resize(facts.size() - more);
    return fmt::format(": {}{}", fmt::join(facts, ", "),
                       more == 0 ? "" : fmt::format(", and {} more", more));
}

/// Writes the template, or adds what it has to the facts of an existing file.
Exit write_facts(const FlowFactsOptions& options, const std::string& made) {
    const bool exists = std::filesystem::is_regular_file(options.output);
    if (!exists || options.overwrite) return write_result(made, options.output);
    const auto file = assembly::read_source(options.output);
    if (!file) return refuse(file.error());
    const auto merged = models::merge_flow_facts(file.value(), made);
    if (!merged) {
        Failure failure = merged.error();
        failure.what += "; edit the file, or write it anew with --overwrite";
        return refuse(failure);
    }
    for (const std::string& kept : merged.value().differing)
        note("warpbound: {}: kept: {}\n", options.output, kept);
    note("warpbound: {}: {} facts kept, {} added{}\n", options.output, merged.value().kept,
         merged.value().added.size(), list_of(merged.value().added));
    if (merged.value().text == file.value().text) return Exit::Holds;
    return write_result(merged.value().text, options.output);
}

/// The command that uses the file, or makes one.
std::string next_step_of(const FlowFactsOptions& options) {
    LaunchOptions launch = options.launch;
    if (options.output == "-" || options.output.empty())
        return fmt::format("warpbound flow-facts {} -o facts.xml", typed(launch));
    launch.kernel.flow_facts = options.output;
    if (launch.machine.architecture.empty()) launch.machine.architecture = "MACHINE";
    if (launch.launch.launch.empty() && launch.launch.grid.empty()) {
        launch.launch.grid = "X,Y,Z";
        if (launch.launch.block.empty()) launch.launch.block = "X,Y,Z";
    }
    if (!launch.launch.launch.empty()) launch.launch.block.clear();
    return fmt::format("warpbound bound {}", typed(launch));
}

Exit print_template(const FlowFactsOptions& options) {
    const LaunchText& text = options.launch.launch;
    if (text.launch.empty() && text.grid.empty() && !text.block.empty() &&
        options.launch.machine.architecture.empty()) {
        say("warpbound: --block alone is for facts about the threads of a block, which need a "
            "machine: --gpu NAME; or state the launch with --grid\n");
        return Exit::Usage;
    }
    if (auto checked = check_output(options.output, options.launch.kernel.file); !checked)
        return refuse(checked.error());
    std::optional<models::Architecture> architecture;
    if (!options.launch.machine.architecture.empty()) {
        auto read = load_machine(options.launch.machine);
        if (!read) return refuse(read.error());
        architecture = std::move(read).value();
    }
    const auto kernel = load_kernel(
        options.launch.kernel, architecture ? std::optional{architecture->target} : std::nullopt);
    if (!kernel) return refuse(kernel.error());
    const LoadedKernel& loaded = *kernel.value();
    const auto launch = stated_launch(options, *loaded.function);
    if (!launch) return refuse(launch.error());
    const auto shape = shape_of(options, launch.value());
    if (!shape) return refuse(shape.error());
    std::optional<analyzer::BlocksOnMachine> blocks;
    if (architecture && shape.value())
        blocks = analyzer::BlocksOnMachine{*shape.value(), &*architecture};
    analyzer::KernelParameters words;
    if (launch.value()) words = launch.value()->arguments;
    if (const auto added = add_arguments_to(words, options.launch.arguments, loaded.parameters);
        !added)
        return refuse(added.error());
    const Exit written = write_facts(
        options, analyzer::flow_facts_template(loaded.program, *loaded.function, loaded.graph,
                                               launch.value(), blocks, words));
    if (written == Exit::Holds) suggest(next_step_of(options));
    return written;
}

/// The options of a launch, of which every part may be missing.
void add_launch(CLI::App& command, LaunchOptions& options) {
    options.kernel.add_to(command);
    options.kernel.takes_amd = true;
    options.machine.add_to(command, false);
    options.launch.add_to(command);
    CLI::Option* const whole = command.get_option("--launch");
    CLI::Option* const block = command.get_option("--block");
    block->remove_needs(command.get_option("--grid"));
    block->remove_excludes(whole);
    whole->remove_excludes(block);
    block->description("Threads of a block: X, XxY or XxYxZ, or with commas; with --gpu it adds "
                       "divergent branches, bank-conflict degrees and memory transactions, as far "
                       "as the code determines them");
    command.add_option("--arg,--constant", options.arguments, arguments_help)
        ->allow_extra_args(false);
}

} // namespace

void add_flow_facts(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<FlowFactsOptions>();
    CLI::App* command = app.add_subcommand(
        "flow-facts",
        "Print a flow-facts template with every loop and memory access of a kernel, and the facts "
        "that static analysis derives from the code; of a launch also its infeasible paths");
    add_launch(*command, options->launch);
    command->add_option("-o,--output", options->output,
                        "File to write. Facts that stand in it are kept as they are; new ones are "
                        "added, and ? is filled in. Facts that cannot both hold are refused");
    command->add_flag("--overwrite", options->overwrite,
                      "Write the file anew, without what stands in it");
    command->footer("Example: warpbound flow-facts examples/saxpy/sm_75.sass --gpu turing-t4\n"
                    "           --grid 8 --block 256 -o saxpy.flow-facts.xml");
    command->callback([options, &invocation] {
        invocation.run = [options] { return print_template(*options); };
    });
}

} // namespace warpbound::cli
