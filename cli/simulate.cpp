/// \file
/// `warpbound simulate`: runs a kernel on the simulated device, many seeds.

#include "cli/command.hpp"
#include "cli/summary_text.hpp"
#include "cli/traced_run.hpp"

#include <fmt/format.h>

#include <optional>

namespace warpbound::cli {

namespace {

struct Options {
    LaunchOptions launch;
    std::string policy = "lrr";
    std::string multiprocessors = "1";
    std::string campaign;
    TraceOptions trace;
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

/// How many SMs are asked for: a number, or all that the machine has.
Result<std::int64_t> multiprocessors_of(const std::string& text,
                                        const models::Architecture& architecture) {
    if (text != "all") return std::stoll(text);
    const auto all =
        models::require(architecture, architecture.geometry, "geometry", "multiprocessors");
    if (!all) return all.as_failure();
    if (!all.value().is_exact())
        return Failure{fmt::format("geometry/multiprocessors is {}..{}; expected one number, or a "
                                   "number with --multiprocessors",
                                   all.value().lo, all.value().hi),
                       architecture.name};
    return all.value().lo;
}

/// What is taken of blocks for want of knowledge (C30).
std::vector<std::string> assumptions_of(const models::Launch& launch, const LoadedKernel& kernel) {
    std::vector<std::string> assumptions;
    if (launch.blocks == 1) return assumptions;
    const bool listed = kernel.function->register_count.value_or(0) > 0;
    if (!launch.registers && !listed)
        assumptions.emplace_back("registers, which the launch does not state, do not limit the "
                                 "resident blocks");
    if (!launch.shared_memory && kernel.function->shared_memory)
        assumptions.emplace_back("dynamic shared memory, which the launch does not state, is 0");
    else if (!launch.shared_memory)
        assumptions.emplace_back("shared memory, which the launch does not state, does not limit "
                                 "the resident blocks");
    return assumptions;
}

std::string render(const Options& options, const LoadedKernel& kernel,
                   const models::Architecture& architecture, const models::Launch& launch,
                   std::int64_t multiprocessors, const std::vector<Series>& series,
                   const std::optional<TracedRun>& traced) {
    const bool stack = options.trace.stack && traced && traced->account;
    if (options.format == "json") {
        nlohmann::ordered_json quantities = nlohmann::ordered_json::object();
        for (const auto& [quantity, measured, summary] : series)
            quantities[quantity_name(quantity)] = summary_json(summary);
        nlohmann::ordered_json result{
            {"kernel",
             {{"name", kernel.function->name},
              {"digest", kernel.program.digest},
              {"isa", to_string(kernel.function->target)}}},
            {"architecture", {{"name", architecture.name}, {"digest", architecture.digest}}},
            {"launch", models::to_string(launch)},
            {"multiprocessors", multiprocessors},
            {"assumptions", assumptions_of(launch, kernel)},
            {"policy", options.policy},
            {"seed", options.seed},
            {"draw", options.draw},
            {"runs", series.front().measured.samples.size()},
            {"observations", quantities}};
        if (stack) result["traced-run"] = account_json(options.trace, *traced, kernel);
        return result.dump(2) + "\n";
    }
    std::string out = fmt::format(
        "{} on simulated:{}, launch {} on {} multiprocessor{}, policy {}, {} runs from seed {} "
        "({})\n",
        kernel.function->name, architecture.name, models::to_string(launch), multiprocessors,
        multiprocessors == 1 ? "" : "s", options.policy, series.front().measured.samples.size(),
        options.seed, options.draw);
    for (const std::string& assumption : assumptions_of(launch, kernel))
        out += fmt::format("assumed: {}\n", assumption);
    out += "\n";
    out += summary_heading("observed, core cycles");
    for (const auto& [quantity, measured, summary] : series) {
        out += summary_row(quantity_name(quantity), summary);
        out += summary_details(summary);
    }
    if (stack) out += account_text(options.trace, *traced, kernel);
    return out;
}

Exit run(const Options& options) {
    const auto inputs = load_launch(options.launch);
    if (!inputs) return refuse(inputs.error());
    const LoadedKernel& loaded = *inputs.value().kernel;
    const models::Architecture& architecture = inputs.value().architecture;
    const harness::Kernel launched = inputs.value().launched();
    const auto policy = models::read_policy(options.policy);
    if (!policy) return refuse(policy.error());
    const auto multiprocessors = multiprocessors_of(options.multiprocessors, architecture);
    if (!multiprocessors) return refuse(multiprocessors.error());
    const auto device = harness::open_device("simulated:" + options.launch.architecture,
                                             options.policy, multiprocessors.value());
    if (!device) return refuse(device.error());
    std::unique_ptr<harness::Campaign> campaign;
    if (!options.campaign.empty()) {
        auto opened = harness::Campaign::open(options.campaign);
        if (!opened) return refuse(opened.error());
        campaign = std::move(opened).value();
    }
    const harness::Protocol protocol = protocol_of(options.runs, options.seed, options.draw);
    std::optional<TracedRun> traced;
    if (options.trace.is_wanted()) {
        const harness::RunOptions chosen{
            harness::seed_of_run(options.seed, options.trace.run), protocol.draw, {}};
        auto run = trace_run(options.trace, architecture, launched, policy.value(),
                             multiprocessors.value(), chosen);
        if (!run) return refuse(run.error());
        traced = std::move(run.value());
        if (!traced->account) {
            fmt::print(stderr, "warpbound: interrupted; the trace ends there\n");
            return Exit::Undecided;
        }
    }
    std::vector<harness::Quantity> quantities{harness::Quantity::ExecutionTime};
    if (clock_reads(*loaded.function) == 2) quantities.push_back(harness::Quantity::Region);
    std::vector<Series> series;
    bool complete = true;
    for (const harness::Quantity quantity : quantities) {
        ProgressBar bar{"simulating " + quantity_name(quantity)};
        auto measured = harness::measure(
            *device.value(), launched,
            series_key(loaded.program, launched, device.value()->identity(), protocol, quantity),
            protocol, quantity, campaign.get(), worker_threads(), bar.callback(), interrupted);
        if (!measured) return refuse(measured.error());
        complete = complete && measured.value().complete;
        const auto times = flat_times(measured.value().samples);
        if (times.empty()) break;
        series.push_back({quantity, std::move(measured).value(), harness::summarise(times)});
    }
    if (series.empty())
        return refuse(
            Failure{"stopped before the first run was recorded", options.launch.kernel.file});
    const std::string result = render(options, loaded, architecture, launched.launch,
                                      multiprocessors.value(), series, traced);
    if (options.trace.file == "-") {
        fmt::print(stderr, "{}", result);
    } else if (const Exit written = write_result(result); written != Exit::Holds) {
        return written;
    }
    if (!complete)
        fmt::print(stderr, "warpbound: interrupted after {} of {} runs{}\n",
                   series.back().measured.samples.size(), options.runs,
                   campaign ? "; what was recorded stays" : "");
    return complete ? Exit::Holds : Exit::Undecided;
}

} // namespace

void add_simulate(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("simulate", "Run a kernel on the simulated device with many seeds");
    options->launch.add_to(*command);
    add_policy(*command, options->policy);
    command
        ->add_option("--multiprocessors", options->multiprocessors,
                     "How many SMs the launch runs on: a number, or all that the machine has")
        ->check([](const std::string& text) {
            const bool digits = !text.empty() && text.size() < 7 && text.front() != '0' &&
                                text.find_first_not_of("0123456789") == std::string::npos;
            return digits || text == "all" ? std::string{}
                                           : "expected a number of SMs, at least 1, or all";
        })
        ->capture_default_str();
    command->add_option("--runs", options->runs, "Number of runs, each with its own seed")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed that all runs derive from")
        ->capture_default_str();
    add_draw(*command, options->draw);
    command->add_option("--campaign", options->campaign,
                        "Record every run in this campaign; resumes it if it exists");
    options->trace.add_to(*command);
    add_format(*command, options->format, {"text", "json"});
    command->footer(
        "Example: warpbound simulate examples/convolution/sm_75.sass --kernel convolution_rows\n"
        "           --architecture turing-t4 --launch 1x32\n"
        "           --flow-facts examples/convolution/sm_75.rows.flow-facts.xml\n"
        "         warpbound simulate examples/microbenchmark/mad_pair_dependent.sass\n"
        "           --architecture fermi-gtx470 --launch 1x256 --stack --trace run.json\n"
        "           (open run.json in ui.perfetto.dev; run.txt is a table of cycles and warps)");
    command->callback([options, &invocation] {
        invocation.run = [options] {
            watch_for_interrupt();
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
