#include "cli/simulation/executed_run.hpp"

#include "assembly/support/digest.hpp"
#include "cli/inputs/launch_inputs.hpp"
#include "cli/output/json.hpp"
#include "harness/execution/input_values.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace warpbound::cli {

namespace {

using harness::execution::Buffer;
using harness::execution::ExecutedLaunch;
using harness::execution::LaunchInputs;

Result<void> add_constants(const std::vector<std::string>& texts, LaunchInputs& inputs) {
    for (const std::string& text : texts) {
        const auto [name, value] = name_and_value(text);
        const auto bank = models::read_number(name);
        if (!bank || *bank == 0 || !harness::execution::is_buffer_form(value))
            return Failure{fmt::format("--constants {}: expected BANK={}, with a bank from 1 on",
                                       text, harness::execution::buffer_forms)};
        auto buffer = harness::execution::read_buffer("bank " + name, value);
        if (!buffer) return buffer.as_failure();
        inputs.constants[static_cast<std::int64_t>(*bank)] = std::move(buffer.value().bytes);
    }
    return boost::outcome_v2::success();
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Result<const Buffer*> buffer_named(const ExecutedRun& run, const std::string& option,
                                   const std::string& name) {
    std::vector<std::string> names;
    for (const Buffer& buffer : run.executed->memory().buffers()) {
        if (buffer.name == name) return &buffer;
        names.push_back(buffer.name);
    }
    return Failure{fmt::format("{} {}: no buffer of this name; expected one of --arg: {}", option,
                               name, fmt::join(names, ", "))};
}

struct Covered {
    std::size_t blocks = 0;
    std::size_t edges = 0;
    std::vector<std::string> missing; ///< Addresses of blocks that no lane entered.
};

Covered coverage_of(const ExecutedRun& run) {
    Covered covered;
    const auto& coverage = run.executed->coverage();
    for (std::size_t block = 0; block < coverage.blocks.size(); ++block)
        if (coverage.blocks[block] > 0)
            ++covered.blocks;
        else
            covered.missing.push_back(hexadecimal(run.kernel->graph.blocks[block].address));
    covered.edges =
        static_cast<std::size_t>(std::count_if(coverage.edges.begin(), coverage.edges.end(),
                                               [](std::int64_t count) { return count > 0; }));
    return covered;
}

} // namespace

void ExecutionOptions::add_to(CLI::App& command) {
    CLI::Option* const wanted = command.add_flag(
        "--execute", is_wanted,
        fmt::format("Execute the code on the data of its arguments, all of which --arg states, and "
                    "simulate the paths, lanes and addresses that it takes. --arg then also takes "
                    "numbers as 1.5 or f32:2, and {}",
                    harness::execution::buffer_forms));
    add_inputs_to(command);
    for (const char* of_execution : {"--output", "--expect", "--constants", "--instruction-limit"})
        command.get_option(of_execution)->needs(wanted);
    for (const char* of_drawn_paths : {"--flow-facts", "--source"})
        wanted->excludes(command.get_option(of_drawn_paths));
}

void add_execution_arguments(CLI::App& command, std::vector<std::string>& arguments) {
    command
        .add_option("--arg", arguments,
                    fmt::format("Argument of the kernel: NAME=VALUE, INDEX=VALUE (from 0), or "
                                "OFFSET=VALUE of constant bank 0, for each parameter. A number, as "
                                "512, 1.5 or f32:2, or {}; may be repeated",
                                harness::execution::buffer_forms))
        ->allow_extra_args(false);
}

void ExecutionOptions::add_inputs_to(CLI::App& command, const std::string& output) {
    command
        .add_option(output, outputs,
                    "NAME=FILE: write the buffer of that argument as the launch left it")
        ->allow_extra_args(false);
    command
        .add_option("--expect", expected,
                    "NAME=FILE[,tolerance=T]: compare the buffer of that argument with this file; "
                    "floating-point numbers may differ by T x max(1, |expected|), by default 0")
        ->allow_extra_args(false);
    command
        .add_option("--constants", constants,
                    "BANK=buffer:..: contents of a constant bank other than 0, such as 3 for "
                    "__constant__ variables")
        ->allow_extra_args(false);
    command
        .add_option("--instruction-limit", instruction_limit,
                    "Instructions after which a warp counts as endless")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 60U))
        ->capture_default_str();
}

Result<ExecutedRun> execute(const LaunchOptions& options, const ExecutionOptions& execution,
                            const models::Architecture* architecture,
                            harness::execution::IssueListener* listener) {
    ExecutedRun run;
    auto kernel =
        load_kernel(options.kernel,
                    architecture != nullptr ? std::optional{architecture->target} : std::nullopt);
    if (!kernel) return kernel.as_failure();
    run.kernel = std::move(kernel).value();
    if (architecture != nullptr)
        if (auto runs = check_target(*run.kernel, *architecture); !runs) return runs.as_failure();
    const auto launch = launch_of(options.launch, run.kernel->function);
    if (!launch) return launch.as_failure();
    LaunchInputs inputs{run.kernel->function, &run.kernel->graph, launch.value(), {}};
    if (auto added = add_data_arguments(options.arguments, run.kernel->parameters, inputs.memory,
                                        inputs.launch.arguments);
        !added)
        return added.as_failure();
    for (const auto& [bank, bytes] : run.kernel->constants) {
        const auto* const first = reinterpret_cast<const std::byte*>(bytes.data());
        inputs.constants[bank].assign(first, first + bytes.size());
    }
    if (auto added = add_constants(execution.constants, inputs); !added) return added.as_failure();
    inputs.listener = listener;
    inputs.instruction_limit = execution.instruction_limit;
    run.launch = inputs.launch;
    run.facts.kernel = run.kernel->function->name;
    run.facts.name = options.kernel.file;
    run.facts.digest = digest_of_inputs(inputs.launch, inputs.memory, inputs.constants);
    ProgressBar bar{"executing blocks"};
    const auto goes_on = bar.callback();
    const std::int64_t blocks = run.launch.blocks;
    auto executed = ExecutedLaunch::run(std::move(inputs), ExecutedLaunch::default_kept_limit,
                                        [&](std::int64_t done) { return goes_on(done, blocks); });
    if (!executed) {
        Failure failure = executed.error();
        if (failure.where.empty() || failure.where == run.kernel->function->name)
            failure.where = run.kernel->program.name;
        return failure;
    }
    run.executed = std::move(executed).value();
    return run;
}

Result<void> write_outputs(const ExecutionOptions& options, const ExecutedRun& run) {
    for (const std::string& output : options.outputs) {
        const auto [name, path] = name_and_value(output);
        const auto buffer = buffer_named(run, "--output", name);
        if (!buffer) return buffer.as_failure();
        auto file = ResultFile::open(path);
        if (!file) return file.as_failure();
        file.value().write(text_of(buffer.value()->bytes));
        if (auto written = file.value().commit(); !written) return written;
    }
    return boost::outcome_v2::success();
}

Result<std::vector<std::string>> differences_of(const ExecutionOptions& options,
                                                const ExecutedRun& run) {
    std::vector<std::string> differences;
    for (const std::string& expected : options.expected) {
        auto [name, path] = name_and_value(expected);
        double tolerance = 0;
        constexpr std::string_view option = ",tolerance=";
        if (const std::size_t comma = path.find(option); comma != std::string::npos) {
            const std::string number = path.substr(comma + option.size());
            if (auto why = refusal_of_number(number); !why.empty())
                return Failure{"--expect tolerance " + why};
            tolerance = std::stod(number);
            path.resize(comma);
        }
        const auto buffer = buffer_named(run, "--expect", name);
        if (!buffer) return buffer.as_failure();
        const auto reference = assembly::read_source(path, std::size_t{1} << 32U);
        if (!reference) return reference.as_failure();
        if (const auto why =
                harness::execution::difference(*buffer.value(), reference.value().text, tolerance))
            differences.push_back(fmt::format("{} differs from {}: {}", name, path, *why));
    }
    return differences;
}

std::vector<std::string> assumptions_of(const ExecutedRun& run) {
    std::vector<std::string> assumptions{
        "executed data: blocks run in the order of their numbers, and of diverging lanes those "
        "that fall through continue first"};
    const auto& instructions = run.kernel->function->instructions;
    for (std::size_t index = 0; index < instructions.size(); ++index)
        if (instructions[index].mnemonic == "MUFU" && run.executed->issues(index)) {
            assumptions.emplace_back("executed data: MUFU gives the nearest number");
            break;
        }
    if (!run.executed->checks_shared_memory())
        assumptions.emplace_back("executed data: no access lies beyond the block's shared memory, "
                                 "whose size is not stated");
    return assumptions;
}

std::string execution_text(const ExecutedRun& run) {
    const Covered covered = coverage_of(run);
    std::string out = fmt::format(
        "executed: {} warp instructions; {} of {} basic blocks and {} of {} edges covered\n",
        run.executed->instructions(), covered.blocks, run.kernel->graph.blocks.size(),
        covered.edges, run.kernel->graph.edges.size());
    if (!covered.missing.empty())
        out += fmt::format("not covered: {}\n", fmt::join(covered.missing, ", "));
    for (const Buffer& buffer : run.executed->memory().buffers())
        if (buffer.was_written)
            out += fmt::format("written: {}, {} bytes, {}\n", buffer.name, buffer.bytes.size(),
                               assembly::digest_of(std::string{text_of(buffer.bytes)}));
    return out;
}

nlohmann::ordered_json execution_json(const ExecutedRun& run) {
    const Covered covered = coverage_of(run);
    Json written = Json::array();
    for (const Buffer& buffer : run.executed->memory().buffers())
        if (buffer.was_written)
            written.push_back(
                {{"argument", buffer.name},
                 {"bytes", buffer.bytes.size()},
                 {"digest", assembly::digest_of(std::string{text_of(buffer.bytes)})}});
    return {{"inputs", run.facts.digest},
            {"warp-instructions", run.executed->instructions()},
            {"blocks", {{"covered", covered.blocks}, {"all", run.kernel->graph.blocks.size()}}},
            {"edges", {{"covered", covered.edges}, {"all", run.kernel->graph.edges.size()}}},
            {"not-covered", covered.missing},
            {"written", std::move(written)}};
}

} // namespace warpbound::cli
