/// \file
/// `warpbound flow-facts`: a template of the flow facts that the analysis needs.

#include "analyzer/flow/flow_facts_template.hpp"
#include "cli/command.hpp"
#include "models/architecture/architecture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpbound::cli {

namespace {

/// The whole text as a number without sign, decimal or after 0x.
std::optional<std::uint64_t> number_of(std::string_view text) {
    const bool hexadecimal = text.substr(0, 2) == "0x";
    if (hexadecimal) text.remove_prefix(2);
    std::uint64_t number = 0;
    const char* const stop = text.data() + text.size();
    const auto read = std::from_chars(text.data(), stop, number, hexadecimal ? 16 : 10);
    if (read.ec != std::errc{} || read.ptr != stop) return std::nullopt;
    return number;
}

/// `OFFSET=VALUE` or `OFFSET=multiple:N`.
Result<void> add_word(const std::string& text, analyzer::KernelParameters& words) {
    const auto malformed = [&](const char* expected) {
        return Failure{.what = fmt::format("--constant {}: expected {}", text, expected),
                       .where = {}};
    };
    constexpr std::string_view multiple = "multiple:";
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string_view offset_text = std::string_view{text}.substr(0, equals);
    std::string_view value_text = std::string_view{text}.substr(std::min(equals + 1, text.size()));
    const auto offset = number_of(offset_text);
    if (!offset || *offset % 4 != 0 || *offset >= 65536)
        return malformed("OFFSET=VALUE with the offset of a 32-bit word in constant bank 0, as in "
                         "0x160=128 or 0x168=multiple:256");
    analyzer::KernelParameter word;
    if (value_text.substr(0, multiple.size()) == multiple) {
        const auto number = number_of(value_text.substr(multiple.size()));
        if (!number || *number < 2 || *number > (std::uint64_t{1} << 31U) ||
            (*number & (*number - 1)) != 0)
            return malformed("a multiple of a power of two, 2 to 2^31");
        word.bits = 0;
        while (std::uint64_t{1} << word.bits < *number)
            ++word.bits;
    } else {
        const bool negative = !value_text.empty() && value_text.front() == '-';
        if (negative) value_text.remove_prefix(1);
        const auto number = number_of(value_text);
        if (!number || *number > (negative ? std::uint64_t{1} << 31U : 0xffffffffU))
            return malformed("a value of 32 bits, or multiple:N");
        word.value = static_cast<std::uint32_t>(negative ? 0 - *number : *number);
    }
    if (!words.emplace(static_cast<std::int64_t>(*offset), word).second)
        return malformed("each word once");
    return boost::outcome_v2::success();
}

struct FlowFactsOptions {
    KernelOptions kernel;
    std::string launch;
    std::string block;
    std::string architecture;
    std::vector<std::string> constants;
    std::string output = "-";
};

Exit print_template(const FlowFactsOptions& options) {
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
        const auto shape = models::parse_block_shape(options.block);
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
    analyzer::KernelParameters words;
    for (const std::string& text : options.constants)
        if (const auto added = add_word(text, words); !added) return refuse(added.error());
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
    command
        ->add_option(
            "--constant", options->constants,
            "OFFSET=VALUE: the 32-bit word c[0x0][OFFSET] (a kernel parameter or a size of "
            "the launch) has this value; OFFSET=multiple:N: it is a multiple of N (an "
            "aligned pointer); may be repeated. Facts derived from it are marked unchecked")
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
