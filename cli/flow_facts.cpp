/// \file
/// `warpbound flow-facts`: a template of the flow facts that the analysis needs.

#include "analyzer/flow/flow_facts_template.hpp"
#include "cli/command.hpp"
#include "cli/kernel_arguments.hpp"
#include "models/architecture/architecture.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpbound::cli {

namespace {

struct FlowFactsOptions {
    KernelOptions kernel;
    std::string launch;
    std::string block;
    std::string architecture;
    std::vector<std::string> arguments;
    std::string output = "-";
};

Exit print_template(const FlowFactsOptions& options) {
    std::optional<models::Architecture> architecture;
    if (!options.architecture.empty()) {
        auto read = models::load_architecture(options.architecture);
        if (!read) return refuse(read.error());
        architecture = std::move(read).value();
    }
    const auto kernel = load_kernel(
        options.kernel, architecture ? std::optional{architecture->target} : std::nullopt);
    if (!kernel) return refuse(kernel.error());
    const LoadedKernel& loaded = *kernel.value();
    std::optional<models::Launch> launch;
    if (!options.launch.empty()) {
        const auto read = models::parse_launch(options.launch);
        if (!read) return refuse(read.error());
        launch = read.value();
    }
    std::optional<analyzer::BlocksOnMachine> blocks;
    if (!options.block.empty()) {
        const auto shape = models::parse_block_shape(options.block);
        if (!shape) return refuse(shape.error());
        if (launch && launch->threads != shape.value().count())
            return refuse(Failure{.what = fmt::format("--block {} has {} threads, --launch {} has "
                                                      "blocks of {}",
                                                      options.block, shape.value().count(),
                                                      options.launch, launch->threads),
                                  .where = {}});
        blocks = analyzer::BlocksOnMachine{shape.value(), &*architecture};
    }
    analyzer::KernelParameters words;
    if (launch) words = launch->arguments;
    if (const auto added = add_arguments_to(words, options.arguments, loaded.parameters); !added)
        return refuse(added.error());
    return write_result(analyzer::flow_facts_template(loaded.program, *loaded.function,
                                                      loaded.graph, launch, blocks, words),
                        options.output);
}

} // namespace

void add_flow_facts(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<FlowFactsOptions>();
    CLI::App* command = app.add_subcommand(
        "flow-facts",
        "Print a flow-facts template with every loop and memory access of a kernel, and the facts "
        "that static analysis derives from the code");
    options->kernel.add_to(*command);
    command->add_option("--launch", options->launch,
                        "Blocks x threads; adds the paths that are infeasible in launches of this "
                        "size");
    CLI::Option* block = command->add_option(
        "--block", options->block,
        "Threads of a block in each dimension: X, XxY or XxYxZ; adds divergent branches, "
        "bank-conflict degrees and memory transactions, as far as the code determines them");
    CLI::Option* architecture =
        command->add_option("--architecture", options->architecture,
                            "Machine (name or file) whose banks, cache lines and warp size --block "
                            "uses");
    command->add_option("--arg,--constant", options->arguments, arguments_help)
        ->allow_extra_args(false);
    block->needs(architecture);
    architecture->needs(block);
    command->add_option("-o,--output", options->output, "File to write");
    command->footer(
        "Example: warpbound flow-facts examples/saxpy/sm_75.sass --launch 8x256 --block 256\n"
        "         --architecture turing-t4 > saxpy.flow-facts.xml");
    command->callback([options, &invocation] {
        invocation.run = [options] { return print_template(*options); };
    });
}

} // namespace warpbound::cli
