#include "cli/simulation/simulation_run.hpp"

#include "assembly/support/stop_token.hpp"
#include "cli/options/multiprocessors.hpp"
#include "cli/output/summary_text.hpp"

#include <memory>
#include <utility>

namespace warpbound::cli::simulation {

Result<Machine> open_machine(const Options& options, models::Architecture architecture) {
    Machine machine;
    machine.architecture = std::move(architecture);
    const auto policy = models::read_policy(options.policy);
    if (!policy) return policy.as_failure();
    machine.policy = policy.value();
    auto clock = models::clock_in_use(options.clock, machine.architecture);
    if (!clock) return clock.as_failure();
    machine.clock = std::move(clock).value();
    const auto multiprocessors = multiprocessors_of(options.multiprocessors, machine.architecture);
    if (!multiprocessors) return multiprocessors.as_failure();
    machine.multiprocessors = multiprocessors.value();
    machine.device =
        harness::simulated_device(machine.architecture, machine.policy, machine.multiprocessors);
    if (options.campaign.empty()) return machine;
    auto opened = harness::Campaign::open(options.campaign);
    if (!opened) return opened.as_failure();
    machine.campaign = std::move(opened.value());
    return machine;
}

std::vector<harness::Quantity> quantities_of(const assembly::Function& function) {
    std::vector<harness::Quantity> quantities{harness::Quantity::ExecutionTime};
    if (clock_reads(function) == 2) quantities.push_back(harness::Quantity::Region);
    return quantities;
}

namespace {

using WorkloadMachine = std::shared_ptr<const harness::simulator::WorkloadMachine>;

/// The launch with its cost; null where the cost is not requested.
Result<WorkloadMachine> launch_with_cost(const Options& options, const Machine& machine,
                                         const harness::Kernel& launched) {
    if (options.launch_cost.empty()) return WorkloadMachine{};
    const auto cost = read_launch_cost(options.launch_cost);
    if (!cost) return cost.as_failure();
    return prepare_workload(machine.architecture,
                            harness::Workload{{launched}, {models::HostOperation{}}},
                            machine.policy, machine.multiprocessors, cost.value());
}

/// Runs with the same seeds. Prints a note when Ctrl-C stopped them.
Result<EndToEnd> end_to_end(const Options& options, const WorkloadMachine& with_cost) {
    if (!with_cost) return EndToEnd{};
    const auto times =
        end_to_end_times(*with_cost, protocol_of(options.runs, options.seed, options.draw));
    if (!times) return times.as_failure();
    const auto done = static_cast<std::int64_t>(times.value().size());
    if (done < options.runs)
        say("warpbound: interrupted after {} of {} runs end to end\n", done, options.runs);
    return done == 0 ? EndToEnd{} : EndToEnd{harness::summarise(times.value())};
}

} // namespace

Result<std::optional<Simulated>> simulate(const Options& options, const Machine& machine,
                                          const Subject& subject) {
    const harness::Protocol protocol = protocol_of(options.runs, options.seed, options.draw);
    const auto with_cost = launch_with_cost(options, machine, subject.launched);
    if (!with_cost) return with_cost.as_failure();
    Simulated simulated;
    if (options.trace.is_wanted()) {
        harness::RunOptions chosen{
            harness::seed_of_run(options.seed, options.trace.run), protocol.draw, {}};
        chosen.threads = worker_threads();
        auto run = trace_run(options.trace, machine.architecture, subject.launched, machine.policy,
                             machine.multiprocessors, chosen);
        if (!run) return run.as_failure();
        simulated.traced = std::move(run.value());
        if (!simulated.traced->account) {
            say("warpbound: interrupted; the trace ends there\n");
            return std::optional<Simulated>{};
        }
    }
    for (const harness::Quantity quantity : quantities_of(*subject.kernel->function)) {
        ProgressBar bar{"simulating " + quantity_name(quantity)};
        auto measured = harness::measure(*machine.device, subject.launched,
                                         series_key(subject.kernel->program, subject.launched,
                                                    machine.device->identity(), protocol, quantity),
                                         protocol, quantity, machine.campaign.get(),
                                         worker_threads(), bar.callback(), stop_requested);
        if (!measured) return measured.as_failure();
        simulated.complete = simulated.complete && measured.value().complete();
        const auto times = summarised_times(measured.value().samples, quantity_name(quantity));
        if (times.empty()) break;
        simulated.series.push_back(
            {quantity, std::move(measured).value(), harness::summarise(times)});
    }
    if (simulated.series.empty() && stop_requested()) {
        say("warpbound: {}: stopped before the first run had ended\n", options.launch.kernel.file);
        return std::optional<Simulated>{};
    }
    if (simulated.series.empty())
        return Failure{"stopped before the first run was recorded", options.launch.kernel.file};
    if (!simulated.complete) {
        say("warpbound: interrupted after {} of {} runs{}\n",
            simulated.series.back().measured.samples.size(), options.runs,
            machine.campaign ? "; recorded runs are kept" : "");
        return std::optional{std::move(simulated)};
    }
    auto ended = end_to_end(options, with_cost.value());
    if (!ended) return ended.as_failure();
    simulated.end_to_end = std::move(ended.value());
    simulated.complete =
        !with_cost.value() || (simulated.end_to_end && simulated.end_to_end->count == options.runs);
    return std::optional{std::move(simulated)};
}

} // namespace warpbound::cli::simulation
