#include "cli/measured_kernel_options.hpp"

#include "cli/clock_options.hpp"
#include "cli/command.hpp"
#include "cli/executed_run.hpp"
#include "harness/protocol/release_pattern.hpp"

#include <CLI/CLI.hpp>

namespace warpbound::cli {

void MeasuredKernelOptions::add_to(CLI::App& command) {
    constexpr const char* group = "A kernel of your own";
    CLI::Option* const whole =
        command.add_option("--module", module,
                           "Run a kernel of this file on its data in place of a suite: cubin, fat "
                           "binary, program, PTX "
                           "or CUDA C++; on a simulated device also a listing");
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
    for (CLI::Option* const option : all)
        option->needs(whole)->group(group);
    whole->group(group);
    for (const char* other : {"--suite", "--benchmark", "--list", "--limits", "--stop"})
        whole->excludes(other);
}

} // namespace warpbound::cli
