/// \file
/// `warpbound flow-facts`: a template of what the analysis needs to be told.

#include "analyzer/flow_facts_template.hpp"
#include "cli/command.hpp"
#include "models/architecture/architecture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>

namespace warpbound::cli {

namespace {

/// `X[xY[xZ]]`, each at least 1, at most 1024 threads together.
Result<analyzer::BlockShape> parse_block(const std::string& text) {
    analyzer::BlockShape shape;
    const auto malformed = [&] {
        return Failure{.what = fmt::format("'{}' is no shape of a block; expected X, XxY or XxYxZ "
                                           "threads, 1 to 1024 together, as in 16x16",
                                           text),
                       .where = {}};
    };
    std::size_t dimension = 0;
    for (std::size_t begin = 0; begin <= text.size(); ++dimension) {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        const char* const stop = text.data() + end;
        std::int64_t count = 0;
        const auto read = std::from_chars(text.data() + begin, stop, count);
        if (dimension == shape.threads.size() || read.ec != std::errc{} || read.ptr != stop ||
            count < 1 || count > 1024)
            return malformed();
        shape.threads[dimension] = count;
        begin = end + 1;
    }
    if (shape.count() > 1024) return malformed();
    return shape;
}

struct Options {
    KernelOptions kernel;
    std::string launch;
    std::string block;
    std::string architecture;
    std::string output = "-";
};

Exit print_template(const Options& options) {
    const auto kernel = load_kernel(options.kernel);
    if (!kernel) return refuse(kernel.error());
    const LoadedKernel& loaded = *kernel.value();
    std::optional<models::Launch> launch;
    if (!options.launch.empty()) {
        const auto read = models::parse_launch(options.launch);
        if (!read) return refuse(read.error());
        launch = read.value();
    }
    std::optional<analyzer::BlocksOnMachine> blocks;
    std::optional<models::Architecture> architecture;
    if (!options.block.empty()) {
        const auto shape = parse_block(options.block);
        if (!shape) return refuse(shape.error());
        if (launch && launch->threads != shape.value().count())
            return refuse(Failure{.what = fmt::format("--block {} has {} threads, --launch {} has "
                                                      "blocks of {}",
                                                      options.block, shape.value().count(),
                                                      options.launch, launch->threads),
                                  .where = {}});
        auto read = models::load_architecture(options.architecture);
        if (!read) return refuse(read.error());
        architecture = std::move(read).value();
        blocks = analyzer::BlocksOnMachine{shape.value(), &*architecture};
    }
    return write_result(analyzer::flow_facts_template(loaded.program, *loaded.function,
                                                      loaded.graph, launch, blocks),
                        options.output);
}

} // namespace

void add_flow_facts(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "flow-facts",
        "Print a flow-facts template with every loop and memory access of a kernel, and what "
        "follows of them from the code");
    options->kernel.add_to(*command);
    command->add_option("--launch", options->launch,
                        "Blocks x threads; adds what branches exclude in launches of this size");
    CLI::Option* block = command->add_option(
        "--block", options->block,
        "Threads of a block in each dimension: X, XxY or XxYxZ; adds where lanes of a warp decide "
        "differently, conflict degrees and transactions, as far as the code gives them");
    CLI::Option* architecture =
        command->add_option("--architecture", options->architecture,
                            "Name or file, whose banks, lines and warps --block uses");
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
