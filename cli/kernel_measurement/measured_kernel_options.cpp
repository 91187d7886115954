#include "cli/kernel_measurement/measured_kernel_options.hpp"

#include "cli/options/clock_options.hpp"
#include "cli/program/command.hpp"
#include "cli/simulation/executed_run.hpp"
#include "harness/protocol/release_pattern.hpp"

#include <CLI/CLI.hpp>

namespace warpbound::cli {

namespace {

/// All but the first need the first.
std::vector<CLI::Option*> add_co_runner(CLI::App& command, CoRunnerText& text) {
    CLI::Option* const whole = command.add_option(
        "--co-runner", text.code,
        "MODULE:KERNEL, a kernel of a file as --module takes: kept running on a second stream of "
        "the card while the kernel runs; its bounds are those of it alone, and not held against");
    CLI::Option* const grid = command.add_option("--co-runner-grid", text.grid,
                                                 "Blocks of the co-runner: X, XxY or XxYxZ");
    CLI::Option* const block = command.add_option(
        "--co-runner-block", text.block, "Threads of a block of the co-runner: X, XxY or XxYxZ");
    constexpr std::int64_t most = std::int64_t{1} << 30U;
    CLI::Option* const shared = command.add_option(
        "--co-runner-dynamic-shared-memory", text.dynamic_shared_memory,
        "Bytes of dynamic shared memory of a block of the co-runner, beside the static ones");
    shared->check(CLI::Range(std::int64_t{0}, most));
    CLI::Option* const arguments = command.add_option(
        "--co-runner-arg", text.arguments, "Argument of the co-runner, as --arg; may be repeated");
    arguments->allow_extra_args(false);
    whole->needs(grid)->needs(block);
    for (CLI::Option* const part : {grid, block, shared, arguments})
        part->needs(whole);
    return {whole, grid, block, shared, arguments};
}

} // namespace

std::string CoRunnerText::module() const {
    return code.substr(0, code.rfind(':'));
}

std::string CoRunnerText::kernel() const {
    const std::size_t colon = code.rfind(':');
    return colon == std::string::npos ? std::string{} : code.substr(colon + 1);
}

void MeasuredKernelOptions::add_to(CLI::App& command) {
    constexpr const char* group = "A kernel of your own";
    CLI::Option* const whole =
        command.add_option("--module", module,
                           "Run a kernel of this file on its data in place of a suite: cubin, fat "
                           "binary, program, PTX "
                           "or CUDA C++, code object of AMD; on a simulated device also a "
                           "listing");
    std::vector<CLI::Option*> all{command.add_option("--kernel", kernel, kernel_help)};
    launch.add_to(command);
    add_execution_arguments(command, arguments);
    for (const char* name : {"--launch", "--grid", "--block", "--dynamic-shared-memory", "--arg"})
        all.push_back(command.get_option(name));
    all.push_back(
        command
            .add_option("--release", releases,
                        "How runs on a card are released: back-to-back (default), warm, "
                        "l2-flushed, cold, periodic:1ms, idle:100ms; may be repeated, and "
                        "each is measured")
            ->allow_extra_args(false)
            ->check([](const std::string& text) {
                const auto read = harness::read_release(text);
                return read ? std::string{} : read.error().what;
            }));
    all.push_back(command
                      .add_option("--outputs", outputs,
                                  "Buffers that every run must leave alike: all, none, or names "
                                  "after commas; a run that differs is a finding")
                      ->capture_default_str());
    all.push_back(command.add_option(
        "--gpu", gpu, "Bound the kernel on this machine, and hold every run against the bound"));
    all.push_back(command.add_option("--flow-facts", flow_facts,
                                     "Loop bounds and memory facts (XML) of that bound"));
    all.push_back(
        add_clock(command, clock)
            ->description("Range of the core clock, such as 1350..1590MHz, that turns the "
                          "bound into seconds (default: the clocks read beside the runs)"));
    for (CLI::Option* const option : add_co_runner(command, co_runner))
        all.push_back(option);
    for (CLI::Option* const option : all)
        option->needs(whole)->group(group);
    whole->group(group);
    for (const char* other : {"--suite", "--benchmark", "--list", "--limits", "--stop"})
        whole->excludes(other);
}

} // namespace warpbound::cli
