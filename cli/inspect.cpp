/// \file
/// `warpbound inspect`: blocks, loops, instruction mix and dependences of a kernel, without times.

#include "assembly/flow/dependences.hpp"
#include "assembly/isa/reader.hpp"
#include "assembly/isa/source_places.hpp"
#include "cli/command.hpp"
#include "cli/json.hpp"
#include "cli/recorded_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace warpbound::cli {

namespace {

struct InspectOptions {
    KernelOptions kernel;
    std::string format = "text";
};

constexpr std::array dependence_names{"read-after-write", "write-after-write", "write-after-read",
                                      "scoreboard", "memory"};

struct Inspection {
    std::map<std::string, std::int64_t> mix;
    std::array<std::int64_t, dependence_names.size()> dependences{};
    std::vector<std::pair<std::int64_t, std::string>> unknown; ///< Address, opcode.
    std::size_t reachable = 0;
};

Inspection inspect(const LoadedKernel& kernel) {
    Inspection result;
    const assembly::Function& function = *kernel.function;
    std::set<std::size_t> seen;
    for (const auto& block : kernel.graph.blocks) {
        if (!seen.insert(block.first).second) continue; // called code in another call context
        for (std::size_t index = block.first; index <= block.last; ++index) {
            const auto& instruction = function.instructions[index];
            ++result.mix[std::string{assembly::to_string(instruction.opcode_class)}];
            ++result.reachable;
            if (instruction.opcode_class == assembly::OpcodeClass::Unknown)
                result.unknown.emplace_back(instruction.address,
                                            assembly::opcode_text(instruction));
        }
        for (const auto& dependence : assembly::dependences_of(function, block.first, block.last))
            ++result.dependences[static_cast<std::size_t>(dependence.kind)];
    }
    return result;
}

/// Source lines of a block, or of all blocks of a loop.
std::string source_of(const LoadedKernel& kernel, const assembly::BasicBlock& block) {
    return assembly::source_range(*kernel.function, block.first, block.last);
}
std::string source_of(const LoadedKernel& kernel, const assembly::Loop& loop) {
    assembly::SourceRange range{*kernel.function};
    for (const std::size_t block : loop.blocks)
        range.add(kernel.graph.blocks[block].first, kernel.graph.blocks[block].last);
    return range.text();
}
/// The same as the end of a line of text.
template <class Part> std::string source_text(const LoadedKernel& kernel, const Part& part) {
    const std::string source = source_of(kernel, part);
    return source.empty() ? source : "  " + source;
}
template <class Part> void add_source(Json& json, const LoadedKernel& kernel, const Part& part) {
    if (const std::string source = source_of(kernel, part); !source.empty())
        json["source"] = source;
}

std::string text_of(const LoadedKernel& kernel, const Inspection& inspection) {
    const auto& function = *kernel.function;
    const auto& graph = kernel.graph;
    std::string out = fmt::format("kernel {} ({})\n  listing {}\n  {} instructions, {} reachable, "
                                  "in {} blocks with {} edges and {} loops\n",
                                  function.name, to_string(function.target), kernel.program.digest,
                                  function.instructions.size(), inspection.reachable,
                                  graph.blocks.size(), graph.edges.size(), graph.loops.size());
    out += "\ninstruction mix\n";
    for (const auto& [name, count] : inspection.mix)
        out += fmt::format("  {:<22} {:>6}\n", name, count);
    out += "\ndependences inside blocks\n";
    for (std::size_t type = 0; type < dependence_names.size(); ++type)
        out +=
            fmt::format("  {:<22} {:>6}\n", dependence_names[type], inspection.dependences[type]);
    if (!graph.loops.empty()) out += "\nloops (header, depth, blocks, back edges, exits)\n";
    for (const auto& loop : graph.loops)
        out += fmt::format("  {} {:>5} {:>6} {:>6} {:>6}{}\n",
                           hexadecimal(graph.blocks[loop.header].address), loop.depth,
                           loop.blocks.size(), loop.back_edges.size(), loop.exit_edges.size(),
                           source_text(kernel, loop));
    out += "\nblocks (address, instructions, successors)\n";
    for (const auto& block : graph.blocks) {
        out += fmt::format("  {} {:>5} ", hexadecimal(block.address), block.last - block.first + 1);
        for (const std::size_t edge : block.out)
            out += fmt::format(" {}", hexadecimal(graph.blocks[graph.edges[edge].to].address));
        out += (block.exits ? " exit" : "") + source_text(kernel, block) + "\n";
    }
    if (!inspection.unknown.empty())
        out += "\nunknown opcodes: a model that needs their time refuses\n";
    for (const auto& [address, opcode] : inspection.unknown)
        out += fmt::format("  {} {}\n", hexadecimal(address), opcode);
    return out;
}

std::string json_of(const LoadedKernel& kernel, const Inspection& inspection) {
    const auto& graph = kernel.graph;
    Json blocks = Json::array();
    Json loops = Json::array();
    for (const auto& block : graph.blocks) {
        Json out = Json::array();
        for (const std::size_t edge : block.out)
            out.push_back(hexadecimal(graph.blocks[graph.edges[edge].to].address));
        blocks.push_back({{"address", hexadecimal(block.address)},
                          {"instructions", block.last - block.first + 1},
                          {"successors", out},
                          {"exits", block.exits}});
        add_source(blocks.back(), kernel, block);
    }
    for (const auto& loop : graph.loops) {
        loops.push_back({{"header", hexadecimal(graph.blocks[loop.header].address)},
                         {"depth", loop.depth},
                         {"blocks", loop.blocks.size()},
                         {"back-edges", loop.back_edges.size()}});
        add_source(loops.back(), kernel, loop);
    }
    Json dependences = Json::object();
    for (std::size_t type = 0; type < dependence_names.size(); ++type)
        dependences[dependence_names[type]] = inspection.dependences[type];
    Json unknown = Json::array();
    for (const auto& [address, opcode] : inspection.unknown)
        unknown.push_back({{"address", hexadecimal(address)}, {"opcode", opcode}});
    return Json{{"kernel",
                 {{"name", kernel.function->name},
                  {"digest", kernel.program.digest},
                  {"isa", to_string(kernel.function->target)}}},
                {"instructions", kernel.function->instructions.size()},
                {"reachable", inspection.reachable},
                {"mix", inspection.mix},
                {"dependences", dependences},
                {"blocks", blocks},
                {"loops", loops},
                {"unknown-opcodes", unknown}}
               .dump(2, ' ', false, nlohmann::json::error_handler_t::replace) +
           "\n";
}

Exit run(const InspectOptions& options) {
    if (is_recorded_trace(options.kernel.file)) {
        const auto result = inspect_recorded_trace(options.kernel.file, options.format);
        return result ? write_result(result.value()) : refuse(result.error());
    }
    const auto kernel = load_kernel(options.kernel);
    if (!kernel) return refuse(kernel.error());
    const LoadedKernel& loaded = *kernel.value();
    if (options.format == "dot")
        return write_result(assembly::to_dot(*loaded.function, loaded.graph));
    const Inspection inspection = inspect(loaded);
    return write_result(options.format == "json" ? json_of(loaded, inspection)
                                                 : text_of(loaded, inspection));
}

} // namespace

void add_inspect(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App* command = app.add_subcommand(
        "inspect", "Show a kernel's instruction mix, blocks, loops and dependences, or what a "
                   "recorded SASS trace (.traceg, kernelslist.g) executed");
    options->kernel.add_to(*command);
    add_format(*command, options->format, {"text", "json", "dot"});
    command->footer(
        "Example: warpbound inspect examples/convolution/sm_75.sass --kernel convolution_rows\n"
        "         warpbound inspect traces/kernelslist.g --format json");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
