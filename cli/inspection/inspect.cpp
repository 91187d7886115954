/// \file
/// `warpbound inspect`: blocks, loops, instruction mix and dependences of a kernel, without times.

#include "assembly/flow/dependences.hpp"
#include "assembly/isa/kernel_names.hpp"
#include "assembly/isa/source_places.hpp"
#include "cli/inputs/code_decoder.hpp"
#include "cli/inputs/kernel_arguments.hpp"
#include "cli/inspection/amd_inspection.hpp"
#include "cli/inspection/thread_trace.hpp"
#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "cli/simulation/recorded_trace.hpp"
#include "harness/trace/thread_trace.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace warpbound::cli {

namespace {

using harness::toolchain::KernelFile;
using harness::toolchain::KernelSummary;

struct InspectOptions {
    KernelOptions kernel;
    std::string trace; ///< Folder of a thread trace; empty: none.
    std::string format = "text";
};

constexpr std::array dependence_names{"read-after-write", "write-after-write", "write-after-read",
                                      "scoreboard", "memory"};

struct Inspection {
    std::map<std::string, std::int64_t> mix;
    std::array<std::int64_t, dependence_names.size()> dependences{};
    std::vector<std::pair<std::int64_t, std::string>> unknown; ///< Address, opcode.
    std::vector<InspectedWait> waits;                          ///< Of AMD's code.
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
        if (!is_amd(function.target)) continue;
        auto waits = waits_of(function, block.first, block.last);
        std::move(waits.begin(), waits.end(), std::back_inserter(result.waits));
    }
    return result;
}

/// ", 17 registers, 128 bytes of shared memory, 8 bytes of local memory": what is known.
std::string resources_of(const KernelSummary& kernel) {
    std::string out;
    if (kernel.registers) out += fmt::format(", {} registers", *kernel.registers);
    if (kernel.shared_memory)
        out += fmt::format(", {} bytes of static shared memory", *kernel.shared_memory);
    if (kernel.stack) out += fmt::format(", {} bytes of local memory", *kernel.stack);
    if (kernel.amd) out += resource_text(*kernel.amd);
    return out;
}

/// All kernels of a file, each with what is known of it and what cannot be read.
struct FileInspection {
    struct Kernel {
        KernelSummary summary;
        std::string refusal;                                       ///< Empty: it was read.
        std::vector<std::pair<std::int64_t, std::string>> unknown; ///< Address, opcode.
    };
    std::vector<Kernel> kernels;
};

FileInspection inspect(KernelFile& file) {
    FileInspection result;
    for (std::size_t i = 0; i < file.kernels().size(); ++i) {
        const auto code = file.read(i);
        FileInspection::Kernel kernel{file.kernels()[i], {}, {}};
        if (code) {
            kernel.summary = code.value().summary;
            for (const auto& instruction : code.value().function->instructions)
                if (instruction.opcode_class == assembly::OpcodeClass::Unknown)
                    kernel.unknown.emplace_back(instruction.address,
                                                assembly::opcode_text(instruction));
        } else {
            kernel.refusal = to_string(code.error());
        }
        result.kernels.push_back(std::move(kernel));
    }
    return result;
}

std::string text_of(const std::string& name, const FileInspection& file) {
    std::string out =
        fmt::format("{} kernels in {}; --kernel NAME shows one\n", file.kernels.size(), name);
    std::string before;
    for (const auto& [summary, refusal, unknown] : file.kernels) {
        const std::string readable = assembly::demangled(summary.name);
        out += fmt::format("\n{}\n", summary.name);
        if (readable != summary.name) out += fmt::format("  {}\n", readable);
        out +=
            fmt::format("  {}{}\n", summary.target ? to_string(*summary.target) : "unknown target",
                        resources_of(summary));
        if (summary.parameters)
            out += fmt::format("  parameters: {}\n", parameter_list(*summary.parameters));
        if (!refusal.empty())
            out += fmt::format("  not read: {}\n", refusal == before ? "as before" : refusal);
        if (!refusal.empty()) before = refusal;
        for (const auto& [address, opcode] : unknown)
            out += fmt::format("  unknown opcode: {} {}\n", hexadecimal(address), opcode);
    }
    return out;
}

Json json_of(const std::optional<std::vector<assembly::KernelParameterLayout>>& parameters) {
    if (!parameters) return nullptr;
    Json out = Json::array();
    for (const auto& one : *parameters)
        out.push_back({{"name", one.name}, {"offset", one.offset}, {"bytes", one.size}});
    return out;
}

template <class Value> Json value_or_null(const std::optional<Value>& value) {
    return value ? Json(*value) : Json(nullptr);
}

std::string json_of(const std::string& name, const FileInspection& file) {
    Json kernels = Json::array();
    for (const auto& [summary, refusal, unknown] : file.kernels) {
        Json opcodes = Json::array();
        for (const auto& [address, opcode] : unknown)
            opcodes.push_back({{"address", hexadecimal(address)}, {"opcode", opcode}});
        kernels.push_back({{"name", summary.name},
                           {"demangled", assembly::demangled(summary.name)},
                           {"isa", summary.target ? Json(to_string(*summary.target)) : Json()},
                           {"registers", value_or_null(summary.registers)},
                           {"shared-memory", value_or_null(summary.shared_memory)},
                           {"local-memory", value_or_null(summary.stack)},
                           {"parameters", json_of(summary.parameters)},
                           {"refusal", refusal},
                           {"unknown-opcodes", opcodes}});
        if (summary.amd) kernels.back()["amd"] = resource_json(*summary.amd);
    }
    return json_text("file", {{"file", name}, {"kernels", kernels}});
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

std::string text_of(const LoadedKernel& kernel, const KernelSummary& summary,
                    const Inspection& inspection) {
    const auto& function = *kernel.function;
    const auto& graph = kernel.graph;
    std::string out = fmt::format("kernel {} ({})\n  listing {}\n  {} instructions, {} reachable, "
                                  "in {} blocks with {} edges and {} loops\n",
                                  function.name, to_string(function.target), kernel.program.digest,
                                  function.instructions.size(), inspection.reachable,
                                  graph.blocks.size(), graph.edges.size(), graph.loops.size());
    if (kernel.parameters)
        out += fmt::format("  parameters {}\n", parameter_list(*kernel.parameters));
    if (summary.amd) out += fmt::format("  resources {}\n", resources_of(summary).substr(2));
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
    if (!inspection.waits.empty())
        out += "\nwaits (address, counters, accesses of the block that have returned behind it)\n" +
               wait_text(inspection.waits);
    if (!inspection.unknown.empty())
        out += "\nunknown opcodes: a model that needs their time refuses\n";
    for (const auto& [address, opcode] : inspection.unknown)
        out += fmt::format("  {} {}\n", hexadecimal(address), opcode);
    return out;
}

std::string json_of(const LoadedKernel& kernel, const KernelSummary& summary,
                    const Inspection& inspection) {
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
    Json named{{"name", kernel.function->name},
               {"digest", kernel.program.digest},
               {"isa", to_string(kernel.function->target)}};
    if (kernel.parameters) named["parameters"] = json_of(kernel.parameters);
    if (summary.amd) named["amd"] = resource_json(*summary.amd);
    Json body{{"kernel", named},
              {"instructions", kernel.function->instructions.size()},
              {"reachable", inspection.reachable},
              {"mix", inspection.mix},
              {"dependences", dependences},
              {"blocks", blocks},
              {"loops", loops},
              {"unknown-opcodes", unknown}};
    if (summary.amd) body["waits"] = wait_json(inspection.waits);
    return json_text("kernel", body);
}

/// The command that bounds the kernel, on a described machine that runs it where there is one.
std::string bound_of(const KernelOptions& kernel, const assembly::Function& function) {
    const std::string target = to_string(function.target);
    return fmt::format("warpbound bound {}{} --gpu {} --grid 64 --block 256",
                       shell_word(kernel.file),
                       kernel.kernel.empty() ? "" : " --kernel " + shell_word(kernel.kernel),
                       models::load_architecture(target) ? target : "DESCRIPTION.xml");
}

/// The kernel's code beside a recorded execution of it.
Exit run_with_trace(const InspectOptions& options) {
    if (!harness::trace::is_thread_trace(options.trace))
        return refuse({"is no folder with a filenames.json; expected ui_output_* of "
                       "rocprofv3 --att",
                       options.trace});
    const auto kernel = load_kernel(options.kernel);
    if (!kernel) return refuse(kernel.error());
    if (!is_amd(kernel.value()->function->target))
        return refuse({"--trace is a thread trace of AMD's code, and this is code for " +
                           to_string(kernel.value()->function->target) +
                           "; for SASS traces: certify --trace FILE",
                       options.kernel.file});
    const auto checked = check_thread_trace(options.trace, *kernel.value(), options.format);
    if (!checked) return refuse(checked.error());
    const Exit written = write_result(checked.value().text);
    return written == Exit::Holds && checked.value().is_refuted() ? Exit::Violated : written;
}

Exit run(const InspectOptions& options) {
    if (!options.trace.empty()) return run_with_trace(options);
    if (harness::trace::is_thread_trace(options.kernel.file)) {
        const auto result = inspect_thread_trace(options.kernel.file, options.format);
        return result ? write_result(result.value()) : refuse(result.error());
    }
    if (is_recorded_trace(options.kernel.file)) {
        const auto result = inspect_recorded_trace(options.kernel.file, options.format);
        return result ? write_result(result.value()) : refuse(result.error());
    }
    auto file =
        open_kernel_file(options.kernel.file, options.kernel.target, std::nullopt, &code_decoder());
    if (!file) return refuse(file.error());
    if (options.kernel.kernel.empty() && file.value().kernels().size() > 1 &&
        options.format != "dot") {
        const FileInspection all = inspect(file.value());
        suggest(fmt::format("warpbound inspect {} --kernel {}", shell_word(options.kernel.file),
                            shell_word(file.value().kernels().front().name)));
        return write_result(options.format == "json" ? json_of(options.kernel.file, all)
                                                     : text_of(options.kernel.file, all));
    }
    const auto found = file.value().find(options.kernel.kernel);
    if (!found) return refuse(found.error());
    const auto code = file.value().read(found.value());
    if (!code) return refuse(code.error());
    const auto kernel = load_kernel(code.value(), {});
    if (!kernel) return refuse(kernel.error());
    const LoadedKernel& loaded = *kernel.value();
    if (options.format == "dot")
        return write_result(assembly::to_dot(*loaded.function, loaded.graph));
    const Inspection inspection = inspect(loaded);
    const assembly::Target target = loaded.function->target;
    if (!is_amd(target) || models::load_architecture(to_string(target)))
        suggest(bound_of(options.kernel, *loaded.function));
    const KernelSummary& summary = code.value().summary;
    return write_result(options.format == "json" ? json_of(loaded, summary, inspection)
                                                 : text_of(loaded, summary, inspection));
}

} // namespace

void add_inspect(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App* command = app.add_subcommand(
        "inspect",
        "Show the kernels of a file; of one kernel its instruction mix, blocks, loops and "
        "dependences; or what a recorded SASS trace (.traceg, kernelslist.g) or AMD thread trace "
        "(folder ui_output_*) executed. Reads AMD code, too: code objects, offload bundles, HIP "
        "programs, assembly");
    options->kernel.add_to(*command);
    options->kernel.takes_amd = true;
    CLI::Option* const trace = command->add_option(
        "--trace", options->trace,
        "Folder ui_output_* of AMD's rocprofv3 --att that recorded the kernel: times of its "
        "instructions; with --flow-facts also whether it refutes a fact (exit code 1)");
    options->kernel.add_flow_facts_to(*command);
    for (const char* const name : {"--flow-facts", "--source"})
        command->get_option(name)->needs(trace);
    add_format(*command, options->format, {"text", "json", "dot"});
    command->footer(
        "Example: warpbound inspect examples/convolution/sm_75.sass --kernel convolution_rows\n"
        "         warpbound inspect traces/kernelslist.g --format json\n"
        "         warpbound inspect tests/data/amd/gfx90a.hsaco.xz --kernel reduce_sum\n"
        "         warpbound inspect app.hsaco --kernel stencil --trace "
        "ui_output_agent_1_dispatch_1");
    command->callback(
        [options, &invocation] { invocation.run = [options] { return run(*options); }; });
}

} // namespace warpbound::cli
