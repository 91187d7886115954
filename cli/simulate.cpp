/// \file
/// `warpbound simulate`: runs a kernel on the simulated device, many seeds.

#include "assembly/isa/reader.hpp"
#include "cli/command.hpp"
#include "cli/summary_text.hpp"
#include "harness/simulator/machine.hpp"
#include "harness/trace/waiting.hpp"

#include <fmt/format.h>

namespace warpbound::cli {

namespace {

struct Options {
    KernelOptions kernel;
    std::string architecture;
    std::string launch = "1x32";
    std::string policy = "lrr";
    std::string campaign;
    std::string trace;
    std::string draw = "uniform";
    std::string format = "text";
    std::int64_t runs = 200;
    std::uint64_t seed = 1;
};

struct Series {
    harness::Quantity quantity;
    harness::Measured measured;
    harness::Summary summary;
};

/// One line per issued instruction of one run, as comma-separated values.
Result<std::string> trace_of(const models::Architecture& architecture,
                             const models::WarpPolicy& policy, const LoadedKernel& kernel,
                             const harness::Kernel& launched, const harness::RunOptions& run) {
    auto machine = harness::simulator::Machine::prepare(architecture, launched, policy);
    if (!machine) return machine.as_failure();
    std::string out = "cycle,warp,block,address,instruction,executed,waited-for\n";
    const auto observed = machine.value()->run(run, [&](const harness::simulator::Event& event) {
        const auto* issued = std::get_if<harness::simulator::Issued>(&event);
        if (issued == nullptr) return;
        const auto stall = harness::trace::last_stall(*issued);
        const auto& instruction = kernel.function->instructions[issued->instruction];
        out += fmt::format("{},{},{},{},\"{}\",{},{}\n", issued->cycle, issued->warp,
                           hexadecimal(kernel.graph.blocks[issued->block].address),
                           hexadecimal(instruction.address), assembly::print(instruction),
                           issued->executed ? "yes" : "no",
                           stall ? harness::trace::to_string(*stall) : "none");
    });
    if (!observed) return observed.as_failure();
    return out;
}

std::string render(const Options& options, const LoadedKernel& kernel,
                   const models::Architecture& architecture, const std::vector<Series>& series) {
    if (options.format == "json") {
        nlohmann::ordered_json quantities = nlohmann::ordered_json::object();
        for (const auto& [quantity, measured, summary] : series)
            quantities[quantity_name(quantity)] = summary_json(summary);
        return nlohmann::ordered_json{
                   {"kernel",
                    {{"name", kernel.function->name},
                     {"digest", kernel.program.digest},
                     {"isa", to_string(kernel.function->target)}}},
                   {"architecture", {{"name", architecture.name}, {"digest", architecture.digest}}},
                   {"launch", options.launch},
                   {"policy", options.policy},
                   {"seed", options.seed},
                   {"draw", options.draw},
                   {"runs", series.front().measured.samples.size()},
                   {"observations", quantities}}
                   .dump(2) +
               "\n";
    }
    std::string out =
        fmt::format("{} on simulated:{}, launch {}, policy {}, {} runs from seed {} ({})\n\n",
                    kernel.function->name, architecture.name, options.launch, options.policy,
                    series.front().measured.samples.size(), options.seed, options.draw);
    out += summary_heading("observed, core cycles");
    for (const auto& [quantity, measured, summary] : series) {
        out += summary_row(quantity_name(quantity), summary);
        out += summary_details(summary);
    }
    return out;
}

Exit run(const Options& options) {
    const auto kernel = load_kernel(options.kernel);
    if (!kernel) return refuse(kernel.error());
    const LoadedKernel& loaded = *kernel.value();
    const auto architecture = models::load_architecture(options.architecture);
    if (!architecture) return refuse(architecture.error());
    const auto launch = models::parse_launch(options.launch);
    if (!launch) return refuse(launch.error());
    const auto target = check_target(loaded, architecture.value());
    if (!target) return refuse(target.error());
    const auto policy = models::read_policy(options.policy);
    if (!policy) return refuse(policy.error());
    const auto device = harness::open_device("simulated:" + options.architecture, options.policy);
    if (!device) return refuse(device.error());
    std::unique_ptr<harness::Campaign> campaign;
    if (!options.campaign.empty()) {
        auto opened = harness::Campaign::open(options.campaign);
        if (!opened) return refuse(opened.error());
        campaign = std::move(opened).value();
    }
    const harness::Kernel launched{loaded.function, &loaded.graph, &loaded.facts, launch.value()};
    harness::Protocol protocol;
    protocol.repetitions = options.runs;
    protocol.warm_up = 0;
    protocol.seed = options.seed;
    protocol.draw = parse_draw(options.draw);
    if (!options.trace.empty()) {
        const harness::RunOptions first{harness::seed_of_run(options.seed, 0), protocol.draw, {}};
        const auto trace = trace_of(architecture.value(), policy.value(), loaded, launched, first);
        if (!trace) return refuse(trace.error());
        const Exit written = write_result(trace.value(), options.trace);
        if (written != Exit::Holds) return written;
    }
    std::vector<harness::Quantity> quantities{harness::Quantity::ExecutionTime};
    if (clock_reads(*loaded.function) == 2) quantities.push_back(harness::Quantity::Region);
    std::vector<Series> series;
    bool complete = true;
    for (const harness::Quantity quantity : quantities) {
        ProgressBar bar{"simulating " + quantity_name(quantity)};
        auto measured = harness::measure(
            *device.value(), launched,
            series_key(loaded, launch.value(), device.value()->identity(), protocol, quantity),
            protocol, quantity, campaign.get(), worker_threads(), bar.callback());
        if (!measured) return refuse(measured.error());
        complete = complete && measured.value().complete;
        const auto times = flat_times(measured.value().samples);
        if (times.empty()) break;
        series.push_back({quantity, std::move(measured).value(), harness::summarise(times)});
    }
    if (series.empty())
        return refuse(Failure{"stopped before the first run was recorded", options.kernel.file});
    const Exit written = write_result(render(options, loaded, architecture.value(), series));
    if (written != Exit::Holds) return written;
    if (!complete) fmt::print(stderr, "warpbound: interrupted; what was recorded stays\n");
    return complete ? Exit::Holds : Exit::Undecided;
}

} // namespace

void add_simulate(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("simulate", "Run a kernel on the simulated device with many seeds");
    options->kernel.add_to(*command);
    options->kernel.add_flow_facts_to(*command);
    command
        ->add_option("--architecture", options->architecture,
                     "Machine: a name from `architectures` or a file")
        ->required();
    command->add_option("--launch", options->launch, "Blocks x threads per block")
        ->capture_default_str();
    add_policy(*command, options->policy);
    command->add_option("--runs", options->runs, "Number of runs, each with its own seed")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed that all runs derive from")
        ->capture_default_str();
    add_draw(*command, options->draw);
    command->add_option("--campaign", options->campaign,
                        "Record every run in this campaign; resumes it if it exists");
    command->add_option("--trace", options->trace,
                        "Write the first run's issued instructions here (CSV)");
    add_format(*command, options->format, {"text", "json"});
    command->footer(
        "Example: warpbound simulate examples/convolution/sm_75.sass --kernel convolution_rows\n"
        "           --architecture turing-t4 --launch 1x32\n"
        "           --flow-facts examples/convolution/sm_75.rows.flow-facts.xml");
    command->callback([options, &invocation] {
        invocation.run = [options] {
            watch_for_interrupt();
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
