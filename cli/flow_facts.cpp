/// \file
/// `warpbound flow-facts`: a template of what the analysis needs to be told.

#include "analyzer/analysis.hpp"
#include "cli/command.hpp"

namespace warpbound::cli {

void add_flow_facts(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<KernelOptions>();
    auto launch = std::make_shared<std::string>();
    auto output = std::make_shared<std::string>("-");
    CLI::App* command = app.add_subcommand(
        "flow-facts",
        "Print a flow-facts template with every loop and memory access of a kernel, and what its "
        "branches exclude");
    options->add_to(*command);
    command->add_option("--launch", *launch,
                        "Blocks x threads; adds what branches exclude in launches of this size");
    command->add_option("-o,--output", *output, "File to write");
    command->footer(
        "Example: warpbound flow-facts examples/saxpy/sm_75.sass > saxpy.flow-facts.xml");
    command->callback([options, launch, output, &invocation] {
        invocation.run = [options, launch, output] {
            const auto kernel = load_kernel(*options);
            if (!kernel) return refuse(kernel.error());
            const LoadedKernel& loaded = *kernel.value();
            std::optional<models::Launch> size;
            if (!launch->empty()) {
                const auto read = models::parse_launch(*launch);
                if (!read) return refuse(read.error());
                size = read.value();
            }
            return write_result(
                analyzer::flow_facts_template(loaded.program, *loaded.function, loaded.graph, size),
                *output);
        };
    });
}

} // namespace warpbound::cli
