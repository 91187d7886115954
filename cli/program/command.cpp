#include "cli/program/command.hpp"

#include "assembly/amd/code_object.hpp"
#include "assembly/amd/processor.hpp"
#include "assembly/support/stop_token.hpp"
#include "cli/inputs/code_decoder.hpp"
#include "cli/inputs/kernel_arguments.hpp"
#include "cli/inputs/source_facts.hpp"
#include "cli/options/multiprocessors.hpp"
#include "cli/output/next_step.hpp"
#include "harness/protocol/series_key.hpp"
#include "models/facts/divergence_default.hpp"
#include "models/facts/normal_ends.hpp"
#include "models/launch/warp_policy.hpp"

#ifdef WARPBOUND_HAS_ANALYZER
#include "analyzer/flow/facts_in_use.hpp"
#endif

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace warpbound::cli {

namespace {

std::optional<unsigned> stated_threads;
volatile std::sig_atomic_t interrupt_seen = 0;

extern "C" void on_interrupt(int) {
    interrupt_seen = 1;
    std::signal(SIGINT, SIG_DFL);
}

} // namespace

Exit refuse(const Failure& failure) {
    say("warpbound: {}\n", to_string(failure));
    return Exit::Refused;
}

void KernelOptions::add_to(CLI::App& command) {
    command.add_option("FILE", file, file_help)->required();
    command.add_option("--kernel", kernel, kernel_help);
    command.add_option("--target", target, target_help);
}

void KernelOptions::add_flow_facts_to(CLI::App& command) {
    command.add_option(
        "--flow-facts", flow_facts,
        "Loop bounds and memory facts (XML); `warpbound flow-facts FILE` prints a template");
    command.add_option(
        "--source", source,
        "Source file that the listing\'s line markers name, or the folder of such files; facts "
        "in their comments (// warpbound: loop max N) hold, too");
    takes_facts = true;
}

namespace {

/// The facts of the flow-facts file and, where the command takes facts, of source comments.
Result<void> read_stated_facts(LoadedKernel& loaded, const KernelOptions& options) {
    if (!options.flow_facts.empty()) {
        const auto text = assembly::read_source(options.flow_facts);
        if (!text) return text.as_failure();
        auto facts = models::read_flow_facts(text.value());
        if (!facts) return facts.as_failure();
        loaded.facts = std::move(facts).value();
        loaded.flow_facts_digest = loaded.facts.digest;
        if (auto checked = models::check_written_for(loaded.facts, loaded.function->name,
                                                     loaded.program.digest);
            !checked)
            return checked.as_failure();
    }
    if (!options.takes_facts) return boost::outcome_v2::success();
    auto facts = source_facts(*loaded.function, loaded.graph, options.file, options.source);
    if (!facts) return facts.as_failure();
    for (const std::string& text : facts.value().notes)
        note("warpbound: {}\n", text);
    if (facts.value().sources.empty()) return boost::outcome_v2::success();
    auto merged = models::merged(std::move(loaded.facts), facts.value().facts);
    if (!merged) return merged.as_failure();
    loaded.facts = std::move(merged).value();
    loaded.facts.digest = assembly::digest_of(models::write_flow_facts(loaded.facts));
    loaded.sources = std::move(facts.value().sources);
    return boost::outcome_v2::success();
}

} // namespace

Result<harness::toolchain::KernelFile>
open_kernel_file(const std::string& file, const std::string& target,
                 const std::optional<assembly::Target>& machine,
                 const assembly::amd::CodeDecoder* decoder) {
    harness::toolchain::TargetChoice choice{{}, machine};
    if (!target.empty()) choice.stated = assembly::parse_target(target);
    if (!target.empty() && !choice.stated) choice.stated = assembly::amd::parse_processor(target);
    if (!target.empty() && !choice.stated)
        return Failure{fmt::format("--target {}; expected sm_20 .. sm_121, or of AMD {}", target,
                                   assembly::amd::list_of_processors())};
    return harness::toolchain::KernelFile::open(file, choice, decoder);
}

Result<std::unique_ptr<LoadedKernel>> load_kernel(const KernelOptions& options,
                                                  const std::optional<assembly::Target>& machine) {
    auto file = open_kernel_file(options.file, options.target, machine,
                                 options.takes_amd ? &code_decoder() : nullptr);
    if (!file) return file.as_failure();
    const auto kernel = file.value().find(options.kernel);
    if (!kernel) return kernel.as_failure();
    const auto code = file.value().read(kernel.value());
    if (!code) return code.as_failure();
    return load_kernel(code.value(), options);
}

Result<std::unique_ptr<LoadedKernel>> load_kernel(const harness::toolchain::KernelCode& code,
                                                  const KernelOptions& options) {
    if (options.takes_amd)
        if (auto checked = assembly::amd::check_scalar_registers(
                code.summary.name, code.function->target,
                code.summary.amd ? code.summary.amd->sgprs : std::nullopt);
            !checked)
            return checked.as_failure();
    auto loaded = std::make_unique<LoadedKernel>();
    loaded->program = *code.program;
    loaded->function = &loaded->program.functions.at(
        static_cast<std::size_t>(code.function - code.program->functions.data()));
    loaded->parameters = code.summary.parameters;
    loaded->constants = code.summary.constants;
    loaded->amd = code.summary.amd;
    auto graph = assembly::build_control_flow_graph(*loaded->function);
    if (!graph) {
        Failure failure = graph.error();
        if (failure.where.empty()) failure.where = loaded->program.name;
        return failure;
    }
    loaded->graph = std::move(graph).value();
    loaded->facts.kernel = loaded->function->name;
    loaded->facts.program_digest = loaded->program.digest;
    if (auto stated = read_stated_facts(*loaded, options); !stated) return stated.as_failure();
    return loaded;
}

void LaunchOptions::add_to(CLI::App& command) {
    kernel.add_to(command);
    kernel.add_flow_facts_to(command);
    machine.add_to(command);
    launch.add_to(command);
    add_arguments(command, arguments);
}

std::string typed(const LaunchOptions& options) {
    std::string text = shell_word(options.kernel.file);
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) text += fmt::format(" {} {}", name, shell_word(value));
    };
    add("--gpu", options.machine.architecture);
    add("--kernel", options.kernel.kernel);
    add("--flow-facts", options.kernel.flow_facts);
    add("--launch", options.launch.launch);
    add("--grid", options.launch.grid);
    add("--block", options.launch.block);
    if (const auto& bytes = options.launch.dynamic_shared_memory)
        add("--dynamic-shared-memory", std::to_string(*bytes));
    add("--target", options.kernel.target);
    add("--source", options.kernel.source);
    for (const std::string& value : options.arguments)
        add("--arg", value);
    for (const std::string& value : options.machine.assumed)
        add("--assume", value);
    return text;
}

void add_arguments(CLI::App& command, std::vector<std::string>& arguments) {
    command.add_option("--arg", arguments, arguments_help)->allow_extra_args(false);
}

Result<LoadedLaunch> load_launch(const LaunchOptions& options) {
    auto architecture = load_machine(options.machine);
    // Of both refusals that of the kernel comes first.
    auto kernel = load_kernel(
        options.kernel, architecture ? std::optional{architecture.value().target} : std::nullopt);
    if (!kernel) return kernel.as_failure();
    if (!architecture) return architecture.as_failure();
    return load_launch(options, std::move(architecture).value(), std::move(kernel).value());
}

Result<LoadedLaunch> load_launch(const LaunchOptions& options, models::Architecture architecture,
                                 std::unique_ptr<LoadedKernel> kernel) {
    LoadedLaunch loaded{std::move(kernel), std::move(architecture), {}};
    const auto launch = launch_of(options.launch, loaded.kernel->function);
    if (!launch) return launch.as_failure();
    loaded.launch = launch.value();
    const auto most = loaded.kernel->amd ? loaded.kernel->amd->max_workgroup : std::nullopt;
    if (most && loaded.launch.threads > *most)
        return Failure{fmt::format("a block of {} threads; kernel '{}' is compiled for at most {}",
                                   loaded.launch.threads, loaded.kernel->function->name, *most),
                       loaded.kernel->program.name};
    if (auto added =
            add_arguments_to(loaded.launch.arguments, options.arguments, loaded.kernel->parameters);
        !added)
        return added.as_failure();
    const auto target = check_target(*loaded.kernel, loaded.architecture);
    if (!target) return target.as_failure();
    const auto facts = complete_facts(*loaded.kernel, loaded.architecture, loaded.launch);
    if (!facts) return facts.as_failure();
    return loaded;
}

Result<void> check_target(const LoadedKernel& kernel, const models::Architecture& architecture) {
    auto checked =
        models::check_runs_on(architecture, kernel.function->name, kernel.function->target);
    const auto lanes =
        models::require(architecture, architecture.geometry, "geometry", "warp-size");
    if (checked && kernel.amd && lanes)
        checked = assembly::amd::check_mode(kernel.function->name,
                                            {kernel.amd->lanes, kernel.amd->in_compute_unit_mode},
                                            lanes.value().lo, architecture.name);
    if (checked) return checked;
    return Failure{checked.error().what, kernel.program.name};
}

Result<void> complete_facts(LoadedKernel& kernel, const models::Architecture& architecture,
                            const models::Launch& launch) {
#ifdef WARPBOUND_HAS_ANALYZER
    auto facts = analyzer::facts_in_use(*kernel.function, kernel.graph, architecture, launch,
                                        std::move(kernel.facts));
    if (!facts) return facts.as_failure();
    kernel.facts = std::move(facts).value();
    return boost::outcome_v2::success();
#else
    static_cast<void>(architecture);
    if (auto checked = models::check_written_for(kernel.facts, launch); !checked)
        return checked.as_failure();
    models::assume_normal_ends(*kernel.function, kernel.graph, kernel.facts);
    return models::assume_divergence(*kernel.function, kernel.graph, kernel.facts);
#endif
}

std::size_t clock_reads(const assembly::Function& function) {
    std::size_t count = 0;
    for (const auto& instruction : function.instructions)
        if (instruction.opcode_class == assembly::OpcodeClass::ClockRead) ++count;
    return count;
}

std::string refusal_of_whole_number(const std::string& text) {
    std::uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && stop == end) return {};
    return fmt::format("'{}'; expected a whole number from 0 to 18446744073709551615", text);
}

std::string refusal_of_number(const std::string& text) {
    constexpr double largest = 1e9;
    double number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (error == std::errc{} && stop == end && number >= 0 && number <= largest) return {};
    return fmt::format("'{}'; expected a number from 0 to 1000000000", text);
}

void add_format(CLI::App& command, std::string& format, const std::vector<std::string>& formats) {
    command.add_option("--format", format, "Format of the result")
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
}

void add_format_or_ending(CLI::App& command, std::string& format,
                          const std::vector<std::string>& formats) {
    add_format(command, format, formats);
    command.parse_complete_callback([&command, &format, formats] {
        const auto& names = command.get_option("--output")->results();
        if (command.get_option("--format")->count() > 0 || names.empty()) return;
        const std::string ending = std::filesystem::path{names.back()}.extension().string();
        if (!ending.empty() &&
            std::find(formats.begin(), formats.end(), ending.substr(1)) != formats.end())
            format = ending.substr(1);
    });
}

void add_policy(CLI::App& command, std::string& policy) {
    command
        .add_option("--policy", policy,
                    fmt::format("Warp scheduling policy: {} (any warp that may issue, by no known "
                                "rule); with parameters two-level:active=N, "
                                "variable-rate:fast=N,every=N,conserving",
                                fmt::join(models::policy_names(), ", ")))
        ->check([](const std::string& text) {
            const auto read = models::read_policy(text);
            return read ? std::string{} : read.error().what;
        })
        ->capture_default_str();
}

void add_multiprocessors(CLI::App& command, std::string& multiprocessors) {
    command
        .add_option("--multiprocessors", multiprocessors,
                    "Number of SMs that the launch runs on, or all SMs of the machine")
        ->check(refusal_of_multiprocessors)
        ->capture_default_str();
}

void add_draw(CLI::App& command, std::string& draw) {
    command
        .add_option("--draw", draw,
                    "How values that the description leaves open are drawn: uniform in their "
                    "interval, at its ends (extremes), or always at one end (all-low: short "
                    "times and large caches, all-high: the opposite); typical: the typical "
                    "number where the description states one; adversarial: by a rule of each run "
                    "that makes long times likely, including the choices between warps and between "
                    "multiprocessors")
        ->check(
            CLI::IsMember({"uniform", "extremes", "all-low", "all-high", "typical", "adversarial"}))
        ->capture_default_str();
}

harness::Draw parse_draw(const std::string& draw) {
    return harness::find_draw(draw).value_or(harness::Draw::Uniform);
}

harness::Protocol protocol_of(std::int64_t runs, std::uint64_t seed, const std::string& draw) {
    harness::Protocol protocol;
    protocol.repetitions = runs;
    protocol.warm_up = 0;
    protocol.seed = seed;
    protocol.draw = parse_draw(draw);
    return protocol;
}

ProgressBar::ProgressBar(std::string label) : label_{std::move(label)} {}

ProgressBar::~ProgressBar() {
    if (shown_) fmt::print(stderr, "\r\x1b[K");
}

harness::Progress ProgressBar::callback() {
    const bool terminal = isatty(STDERR_FILENO) == 1 && !is_quiet();
    return [this, terminal](std::int64_t done, std::int64_t wanted) {
        if (terminal && wanted == 0) {
            fmt::print(stderr, "\r{} {}", label_, done);
            std::fflush(stderr);
            shown_ = true;
        } else if (terminal) {
            constexpr std::int64_t width = 40;
            const auto filled = static_cast<std::size_t>(width * done / wanted);
            fmt::print(stderr, "\r{} [{:<40}] {}/{}", label_, std::string(filled, '#'), done,
                       wanted);
            std::fflush(stderr);
            shown_ = true;
        }
        return !interrupted() && !stop_requested();
    };
}

StopScope watch_for_interrupt(std::optional<double> time_limit) {
    std::signal(SIGINT, on_interrupt);
    Deadline deadline;
    if (time_limit) deadline = deadline_after(std::chrono::duration<double>{*time_limit});
    return StopScope{StopToken{deadline, interrupted}};
}

void add_time_limit(CLI::App& command, std::optional<double>& seconds, const std::string& purpose) {
    command.add_option("--time-limit", seconds, "Time limit in seconds; " + purpose)
        ->check(refusal_of_number);
}

bool interrupted() {
    return interrupt_seen != 0;
}

std::string hexadecimal(std::int64_t address) {
    return fmt::format("0x{:04x}", address);
}

unsigned worker_threads() {
    return stated_threads.value_or(std::max(1U, std::thread::hardware_concurrency()));
}

void add_threads(CLI::App& command) {
    constexpr unsigned most = 1'024;
    command
        .add_option("--threads", stated_threads,
                    "Threads that share the runs, or the multiprocessors of a single run; no "
                    "result depends on their number. Default: one for each core")
        ->check(CLI::Range(1U, most));
}

std::string quantity_name(harness::Quantity quantity) {
    return std::string{harness::to_string(quantity)};
}

harness::SeriesKey series_key(const assembly::Program& program, const harness::Kernel& launched,
                              const harness::DeviceIdentity& device,
                              const harness::Protocol& protocol, harness::Quantity quantity) {
    return harness::series_key({launched.function->name, program.digest, launched.facts->digest},
                               launched.launch, quantity, device, protocol);
}

std::vector<std::string> residency_assumptions(const std::vector<harness::Kernel>& kernels,
                                               std::int64_t blocks) {
    std::vector<std::string> assumptions;
    if (blocks == 1) return assumptions;
    const std::string_view launch = kernels.size() == 1 ? "the launch" : "a launch";
    bool registers = false;
    bool dynamic = false;
    bool shared = false;
    for (const auto& kernel : kernels) {
        registers = registers ||
                    (!kernel.launch.registers && kernel.function->register_count.value_or(0) == 0);
        if (kernel.launch.shared_memory) continue;
        (kernel.function->shared_memory ? dynamic : shared) = true;
    }
    if (registers)
        assumptions.push_back(fmt::format(
            "registers, which {} does not state, do not limit the resident blocks", launch));
    if (dynamic)
        assumptions.push_back(
            fmt::format("dynamic shared memory, which {} does not state, is 0", launch));
    if (shared)
        assumptions.push_back(fmt::format(
            "shared memory, which {} does not state, does not limit the resident blocks", launch));
    return assumptions;
}

} // namespace warpbound::cli
