/// \file
/// `warpbound simulate`: runs a kernel, a recorded trace or a workload on the simulated device.

#include "assembly/support/stop_token.hpp"
#include "cli/inputs/shard.hpp"
#include "cli/options/clock_options.hpp"
#include "cli/options/multiprocessors.hpp"
#include "cli/output/json.hpp"
#include "cli/output/next_step.hpp"
#include "cli/output/summary_text.hpp"
#include "cli/program/command.hpp"
#include "cli/simulation/executed_run.hpp"
#include "cli/simulation/recorded_runs.hpp"
#include "cli/simulation/recorded_trace.hpp"
#include "cli/simulation/simulated_plan.hpp"
#include "cli/simulation/simulation_run.hpp"
#include "cli/simulation/traced_run.hpp"
#include "cli/simulation/workload_run.hpp"
#include "harness/devices/simulated.hpp"
#include "models/architecture/shipped.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>

namespace warpbound::cli {

namespace {

using simulation::Machine;
using simulation::open_machine;
using simulation::simulate;
using simulation::Subject;
using SimulateOptions = simulation::Options;

/// With a trace on standard output the result goes to standard error.
Exit write(const SimulateOptions& options, const std::string& result) {
    if (options.trace.file != "-") return write_result(result);
    say("{}", result);
    return Exit::Holds;
}

/// Reports the runs of one kernel.
Exit report_kernel(const SimulateOptions& options, const Machine& machine, const Subject& subject) {
    const auto simulated = simulate(options, machine, subject);
    if (!simulated) return refuse(simulated.error());
    if (!simulated.value()) return Exit::Undecided;
    const Exit written =
        write(options,
              options.format == "json"
                  ? json_text("simulation", json_of(options, machine, subject, *simulated.value()))
                  : text_of(options, machine, subject, *simulated.value()));
    if (written != Exit::Holds) return written;
    return simulated.value()->complete ? Exit::Holds : Exit::Undecided;
}

Exit run_kernel(const SimulateOptions& options) {
    if (!options.listing.empty())
        return refuse(Failure{"--listing is for a recorded trace (.traceg, kernelslist.g); this "
                              "file is itself a listing",
                              options.launch.kernel.file});
    if (!options.campaign.empty())
        if (auto checked = check_output(options.trace.file, options.campaign); !checked)
            return refuse(checked.error());
    auto inputs = load_launch(options.launch);
    if (!inputs) return refuse(inputs.error());
    const auto machine = open_machine(options, inputs.value().architecture);
    if (!machine) return refuse(machine.error());
    const LoadedKernel& kernel = *inputs.value().kernel;
    const Subject subject{
        &kernel,
        inputs.value().launched(),
        residency_assumptions({inputs.value().launched()}, inputs.value().launch.blocks),
        nullptr,
        {},
        nullptr};
    if (const Exit reported = report_kernel(options, machine.value(), subject);
        reported != Exit::Holds)
        return reported;
    suggest(fmt::format("warpbound analyze {} --policy {} --multiprocessors {} --runs {}",
                        typed(options.launch), shell_word(options.policy), options.multiprocessors,
                        options.runs));
    return Exit::Holds;
}

/// The kernel executed on the data of its arguments; its paths, lanes and addresses are simulated.
Exit run_on_data(const SimulateOptions& options) {
    auto architecture = load_machine(options.launch.machine);
    if (!architecture) return refuse(architecture.error());
    const auto machine = open_machine(options, std::move(architecture).value());
    if (!machine) return refuse(machine.error());
    const auto executed = execute(options.launch, options.execution, &machine.value().architecture);
    if (!executed && stop_requested()) {
        say("warpbound: interrupted while the launch was executed\n");
        return Exit::Undecided;
    }
    if (!executed) return refuse(executed.error());
    const ExecutedRun& run = executed.value();
    if (auto stored = write_outputs(options.execution, run); !stored) return refuse(stored.error());
    const auto differences = differences_of(options.execution, run);
    if (!differences) return refuse(differences.error());
    if (!differences.value().empty()) {
        for (const std::string& one : differences.value())
            say("warpbound: {}\n", one);
        return Exit::Violated;
    }
    auto assumptions = residency_assumptions({run.launched()}, run.launch.blocks);
    for (auto& more :
         cli::assumptions_of(*run.kernel->function, *run.executed, machine.value().architecture))
        assumptions.push_back(std::move(more));
    for (auto& more : cli::assumptions_of(run))
        assumptions.push_back(std::move(more));
    return report_kernel(
        options, machine.value(),
        {run.kernel.get(), run.launched(), std::move(assumptions), nullptr, {}, &run});
}

/// The kernels of a recorded trace or list, one after the other.
Exit run_traces(const SimulateOptions& options) {
    const std::string& file = options.launch.kernel.file;
    if (!options.stated.empty())
        return refuse(Failure{fmt::format("a recorded trace determines {} itself; expected no such "
                                          "option",
                                          fmt::join(options.stated, ", ")),
                              file});
    const auto list = list_traces(file);
    if (!list) return refuse(list.error());
    const auto& [traces, copies, bytes] = list.value();
    const bool is_list = std::filesystem::path{file}.extension() == ".g";
    if (traces.empty()) return refuse(Failure{"the list launches no kernel", file});
    if (!options.trace.file.empty() && traces.size() > 1)
        return refuse(Failure{fmt::format("--trace writes one run; expected a single trace file, "
                                          "not a list of {}",
                                          traces.size()),
                              file});
    auto architecture = load_machine(options.launch.machine);
    if (!architecture) return refuse(architecture.error());
    const auto machine = open_machine(options, std::move(architecture.value()));
    if (!machine) return refuse(machine.error());
    nlohmann::ordered_json kernels = nlohmann::ordered_json::array();
    std::string text;
    if (is_list)
        text = fmt::format("launches: {}, sequential, each timed in isolation; copies to the "
                           "device: {} of {} bytes, not timed\n\n",
                           traces.size(), copies, bytes);
    bool complete = true;
    for (const auto& trace : traces) {
        const auto recorded =
            load_recorded_run(trace, options.listing, machine.value().architecture);
        if (!recorded && stop_requested()) {
            say("warpbound: interrupted while {} was read\n", trace.string());
            return Exit::Undecided;
        }
        if (!recorded) return refuse(recorded.error());
        const RecordedRun& run = recorded.value();
        auto assumptions = residency_assumptions({run.launched()}, run.launched().launch.blocks);
        for (auto& more :
             cli::assumptions_of(*run.kernel->function, *run.trace, machine.value().architecture))
            assumptions.push_back(std::move(more));
        const Subject subject{run.kernel.get(), run.launched(), std::move(assumptions), &run,
                              trace.string(),   nullptr};
        const auto simulated = simulate(options, machine.value(), subject);
        if (!simulated) return refuse(simulated.error());
        if (!simulated.value()) return Exit::Undecided;
        if (options.format == "json")
            kernels.push_back(json_of(options, machine.value(), subject, *simulated.value()));
        else
            text += (&trace == &traces.front() ? "" : "\n") +
                    text_of(options, machine.value(), subject, *simulated.value());
        complete = simulated.value()->complete;
        if (!complete) break;
    }
    if (options.format == "json" && is_list)
        kernels = {{"copies-to-device", {{"count", copies}, {"bytes", bytes}, {"counted", false}}},
                   {"kernels", std::move(kernels)}};
    else if (options.format == "json")
        kernels = nlohmann::ordered_json(kernels.front());
    const Exit written =
        write(options, options.format == "json"
                           ? json_text(is_list ? "simulated-list" : "simulation", kernels)
                           : text);
    if (written != Exit::Holds) return written;
    return complete ? Exit::Holds : Exit::Undecided;
}

Exit run_workload(const SimulateOptions& options) {
    const auto architecture = load_machine(options.launch.machine);
    if (!architecture) return refuse(architecture.error());
    const auto multiprocessors = multiprocessors_of(options.multiprocessors, architecture.value());
    if (!multiprocessors) return refuse(multiprocessors.error());
    return simulate_workload(
        {.file = options.workload,
         .architecture = options.launch.machine.architecture,
         .policy = options.policy,
         .launch_cost = options.launch_cost.empty() ? "described" : options.launch_cost,
         .multiprocessors = multiprocessors.value(),
         .runs = options.runs,
         .seed = options.seed,
         .draw = options.draw,
         .format = options.format,
         .trace = options.trace.file,
         .trace_format = options.trace.format,
         .trace_run = options.trace.run},
        architecture.value());
}

Exit run(const SimulateOptions& options) {
    if (!options.plan.empty()) {
        if (!options.campaign.empty()) return simulate_plan(options);
        say("warpbound: simulate --plan needs --campaign FILE, where {{shard}} in its name becomes "
            "1-of-8\n");
        return Exit::Usage;
    }
    if (!options.workload.empty()) return run_workload(options);
    if (is_recorded_trace(options.launch.kernel.file)) return run_traces(options);
    return options.execution.is_wanted ? run_on_data(options) : run_kernel(options);
}

/// Options of a plan, which states what those of one kernel state.
void add_plan(CLI::App& command, SimulateOptions& options) {
    CLI::Option* const plan =
        add_plan_of_points(command, options.plan, "each point is a series of the campaign",
                           {"--policy", "--stack", "--trace", "--listing", "--execute",
                            "--launch-cost", "--workload"});
    add_shard(command, options.shard, plan);
}

} // namespace

void add_simulate(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<SimulateOptions>();
    CLI::App* command =
        app.add_subcommand("simulate", "Run a kernel, or what a recorded SASS trace (.traceg, "
                                       "kernelslist.g) executed, on the simulated device, one run "
                                       "per seed");
    options->launch.add_to(*command);
    options->launch.kernel.takes_amd = true;
    command->add_option("--listing", options->listing,
                        "Listing of the kernels of a recorded trace, which has no control fields");
    add_policy(*command, options->policy);
    add_multiprocessors(*command, options->multiprocessors);
    add_clock(*command, options->clock);
    command->add_option("--runs", options->runs, "Number of runs, each with its own seed")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed that all runs derive from")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    add_draw(*command, options->draw);
    add_threads(*command);
    command->add_option("--campaign", options->campaign,
                        "Record every run in this campaign; resumes it if it exists");
    options->trace.add_to(*command);
    options->execution.add_to(*command);
    add_launch_cost(*command, options->launch_cost,
                    ". With FILE: also reports the time of the launch with this cost");
    CLI::Option* const workload =
        command->add_option("--workload", options->workload,
                            "Run streams of launches and copies from this file instead of FILE; "
                            "its listings are named relative to it");
    for (const char* of_one_launch :
         {"FILE", "--kernel", "--flow-facts", "--source", "--launch", "--grid",
          "--dynamic-shared-memory", "--campaign", "--stack", "--listing", "--clock", "--execute"})
        workload->excludes(command->get_option(of_one_launch));
    add_plan(*command, *options);
    command->get_option("FILE")->required(false);
    command->get_option("--architecture")->required(false);
    add_format(*command, options->format, {"text", "json"});
    command->footer(
        "Example: warpbound simulate examples/convolution/sm_75.sass --kernel convolution_rows\n"
        "           --architecture turing-t4 --launch 1x32\n"
        "           --flow-facts examples/convolution/sm_75.rows.flow-facts.xml\n"
        "         warpbound simulate examples/microbenchmark/mad_pair_dependent.sass\n"
        "           --architecture fermi-gtx470 --launch 1x256 --stack --trace run.json\n"
        "           (open run.json in ui.perfetto.dev; run.txt is a table of cycles and warps)\n"
        "         warpbound simulate --workload examples/streams/workload.xml\n"
        "           --architecture maxwell-gtx970 --multiprocessors all --launch-cost 4000..7000\n"
        "         warpbound simulate traces/kernel-1.traceg --listing kernel.sass\n"
        "           --architecture turing-t4\n"
        "           (the trace gives launch, paths, lanes and addresses)\n"
        "         warpbound simulate examples/everyday/transpose.sm_75.sass --gpu turing-t4\n"
        "           --grid 4x4 --block 32x8 --execute --runs 1\n"
        "           --arg 0x160=buffer:f32:128x128:iota --arg 0x168=buffer:f32:128x128:zero\n"
        "           --arg 0x170=128 --arg 0x174=128 --output 0x168=transposed.bin\n"
        "           (the data gives paths, lanes and addresses)");
    command->callback([options, command, &invocation] {
        if (options->workload.empty() && options->plan.empty() &&
            options->launch.kernel.file.empty())
            throw CLI::RequiredError("FILE, --workload or --plan");
        if (options->plan.empty() && options->launch.machine.architecture.empty())
            throw CLI::RequiredError("--architecture");
        for (const char* name : {"--kernel", "--launch", "--grid", "--dynamic-shared-memory",
                                 "--flow-facts", "--source", "--execute"})
            if (command->get_option(name)->count() > 0) options->stated.emplace_back(name);
        invocation.run = [options] {
            const StopScope scope = watch_for_interrupt();
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
