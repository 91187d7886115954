/// \file
/// `warpbound measure`: runs microbenchmarks on a device and records every sample.

#include "assembly/support/stop_token.hpp"
#include "cli/inputs/shard.hpp"
#include "cli/kernel_measurement/measured_kernel.hpp"
#include "cli/measurement/benchmark_code.hpp"
#include "cli/measurement/measured_limits.hpp"
#include "cli/measurement/measured_plan.hpp"
#include "cli/measurement/measured_points.hpp"
#include "cli/output/next_step.hpp"
#include "cli/program/command.hpp"
#include "cli/program/protocol_options.hpp"
#include "cli/recordings/campaign_page.hpp"
#include "harness/protocol/rounds.hpp"
#include "harness/suite/measure_point.hpp"
#include "harness/suite/suites.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace warpbound::cli {

namespace {

struct MeasureOptions {
    std::string device;
    std::string suite;
    std::vector<std::string> benchmarks;
    std::string campaign;
    std::string report;
    std::string policy = "lrr";
    std::string format = "text";
    bool list = false;
    bool limits = false;
    std::string code; ///< Target of the code to print.
    ProtocolOptions protocol;
    MeasuredKernelOptions kernel;
    std::vector<std::string> of_simulated; ///< Those given.
    std::string plan;
    std::string shard;
};

std::string benchmark_text(const harness::Benchmark& benchmark) {
    std::string out = fmt::format("  {:<20} {}\n", benchmark.name, benchmark.question);
    out += fmt::format("  {:<20}   expected: {} ({})\n", "", benchmark.relation, benchmark.source);
    if (!benchmark.calibrates.empty())
        out +=
            fmt::format("  {:<20}   calibrates: {}\n", "", fmt::join(benchmark.calibrates, ", "));
    return out;
}

std::string list_text() {
    std::string out = "suites\n";
    for (const auto& suite : harness::suites()) {
        out += fmt::format("  {:<19} {}\n", suite.name, suite.purpose);
    }
    out += "\nbenchmarks\n";
    for (const auto* list : {&harness::benchmarks(), &harness::benchmarks_of_encoded_machines()})
        for (const auto& benchmark : *list)
            out += benchmark_text(benchmark);
    return out;
}

Result<std::vector<std::string>> chosen_benchmarks(const MeasureOptions& options) {
    if (!options.benchmarks.empty()) return options.benchmarks;
    std::vector<std::string> names;
    for (const auto& suite : harness::suites()) {
        if (suite.name == options.suite) return suite.benchmarks;
        names.push_back(suite.name);
    }
    return Failure{fmt::format("no suite of that name; there are: {}", fmt::join(names, ", ")),
                   options.suite};
}

/// The points of the chosen benchmarks; those that the machine does not support go to `missing`.
Result<std::vector<harness::BenchmarkPoint>> points_of(const MeasureOptions& options,
                                                       const std::vector<std::string>& names,
                                                       const harness::Device& device,
                                                       std::vector<NotMeasured>& missing) {
    std::vector<std::string> order = names;
    // The empty region comes first: it calibrates all other points.
    order.erase(std::remove(order.begin(), order.end(), "empty-region"), order.end());
    order.insert(order.begin(), "empty-region");
    std::vector<harness::BenchmarkPoint> all;
    for (const auto& name : order) {
        auto points = harness::points_for(device, name);
        // A suite skips benchmarks that the device does not run.
        if (!points && options.suite.empty()) return points.as_failure();
        if (!points) missing.push_back({name, points.error()});
        if (!points) continue;
        all.insert(all.end(), std::make_move_iterator(points.value().begin()),
                   std::make_move_iterator(points.value().end()));
    }
    return all;
}

/// Prepares the points on the device; those that it does not run go to `missing`.
Result<std::vector<std::unique_ptr<harness::PointRun>>>
prepare(const MeasureOptions& options, const harness::Device& device,
        const harness::Protocol& protocol, const std::vector<harness::BenchmarkPoint>& points,
        std::vector<NotMeasured>& missing) {
    std::vector<std::unique_ptr<harness::PointRun>> runs;
    for (const auto& point : points) {
        auto run = harness::PointRun::prepare(device, point, protocol);
        if (!run && options.suite.empty()) return run.as_failure();
        if (run)
            runs.push_back(std::move(run).value());
        else
            missing.push_back({point.name, run.error()});
    }
    return runs;
}

/// Measures in rounds over all points, so that drift of the device affects all points alike.
Result<void> measure_all(const std::vector<std::unique_ptr<harness::PointRun>>& runs,
                         std::uint64_t seed, harness::Campaign* campaign) {
    const auto begin_all = [&]() -> Result<void> {
        for (const auto& run : runs)
            if (auto begun = run->begin(campaign); !begun) return begun;
        return boost::outcome_v2::success();
    };
    const auto begun = campaign != nullptr ? campaign->in_one_transaction(begin_all) : begin_all();
    if (!begun) return begun;
    std::vector<harness::SeriesRun*> series;
    for (const auto& run : runs)
        series.push_back(&run->series());
    ProgressBar bar{"measuring"};
    return harness::measure_in_rounds(series, seed, campaign, worker_threads(), bar.callback(),
                                      interrupted);
}

std::string render(const MeasuredSuite& suite, const std::string& format) {
    if (format == "json") return measured_json(suite);
    return format == "csv" ? measured_csv(suite) : measured_text(suite);
}

Exit run_module(const MeasureOptions& options) {
    for (const std::string& input : {options.kernel.module, options.campaign})
        if (auto checked = check_output(options.report, input); !checked)
            return refuse(checked.error());
    if (auto checked = check_output(options.campaign, options.kernel.module); !checked)
        return refuse(checked.error());
    const auto protocol = options.protocol.read();
    if (!protocol) return refuse(protocol.error());
    return measure_kernel(options.kernel,
                          {options.device, options.policy, options.campaign, options.report,
                           options.format, protocol.value(), options.of_simulated});
}

Exit run(const MeasureOptions& options) {
    if (options.list) {
        suggest("warpbound devices");
        return write_result(list_text());
    }
    if (!options.code.empty()) return print_code(options.code, options.benchmarks);
    if (!options.plan.empty()) {
        if (options.format == "csv")
            return refuse(Failure{"a plan has text or json; expected `campaign export` of its "
                                  "campaign for a row per run",
                                  "--format csv"});
        return measure_plan(
            {options.plan, options.shard, options.device, options.campaign, options.format});
    }
    if (options.device.empty())
        return refuse(Failure{"a device is needed; `warpbound devices` lists them", "--device"});
    if (options.limits) return show_limits(options.device, options.policy, options.format);
    if (!options.kernel.module.empty()) return run_module(options);
    if (options.suite.empty() == options.benchmarks.empty())
        return refuse(
            Failure{"expected a --suite, one or more --benchmark, which --list shows, or a "
                    "--module",
                    "measure"});
    if (auto checked = check_output(options.report, options.campaign); !checked)
        return refuse(checked.error());
    const auto device = harness::open_device(options.device, options.policy);
    if (!device) return refuse(device.error());
    const auto names = chosen_benchmarks(options);
    if (!names) return refuse(names.error());
    const auto protocol = options.protocol.read();
    if (!protocol) return refuse(protocol.error());
    MeasuredSuite suite;
    suite.device = options.device;
    suite.protocol = protocol.value();
    const auto points = points_of(options, names.value(), *device.value(), suite.missing);
    if (!points) return refuse(points.error());
    const auto runs =
        prepare(options, *device.value(), protocol.value(), points.value(), suite.missing);
    if (!runs) return refuse(runs.error());
    // What the device refused comes last, behind benchmarks that no such device runs.
    if (runs.value().empty()) return refuse(suite.missing.back().why);
    // Only now: a refused measurement creates no campaign.
    std::unique_ptr<harness::Campaign> campaign;
    if (!options.campaign.empty()) {
        auto opened = harness::Campaign::open(options.campaign);
        if (!opened) return refuse(opened.error());
        campaign = std::move(opened).value();
    }
    const auto measured = measure_all(runs.value(), protocol.value().seed, campaign.get());
    if (!measured) return refuse(measured.error());
    bool complete = true;
    for (const auto& run : runs.value()) {
        const auto series = run->series().take();
        complete = complete && series.complete();
        if (auto point = summarise_point(run->point(), series, options.format == "json"))
            suite.points.push_back(std::move(*point));
    }
    compare_points(suite);
    if (options.format == "csv") // CSV has no rows for points that were not measured.
        for (const auto& line : missing_lines(suite.missing))
            note("warpbound: not measured: {}\n", line);
    const Exit written = write_result(render(suite, options.format));
    if (written != Exit::Holds) return written;
#ifdef WARPBOUND_HAS_ANALYZER
    if (!options.report.empty()) {
        const Exit reported = write_campaign_page(*campaign, options.campaign, options.report);
        if (reported != Exit::Holds) return reported;
    }
#endif
    if (!options.campaign.empty())
        suggest(options.suite == "calibration"
                    ? fmt::format("warpbound calibrate --campaign {} -o card.xml",
                                  shell_word(options.campaign))
                    : fmt::format("warpbound campaign list {} --summary",
                                  shell_word(options.campaign)));
    if (!complete) say("warpbound: interrupted; recorded runs are kept\n");
    if (!complete) return Exit::Undecided;
    const auto without = suite.without_times();
    if (!without.empty()) say("warpbound: no run counts of {}\n", fmt::join(without, ", "));
    if (suite.disagrees())
        say("warpbound: the time per operation from the empty region contradicts "
            "that from the slope\n");
    return without.empty() && !suite.disagrees() ? Exit::Holds : Exit::Violated;
}

/// After all other options.
void add_plan(CLI::App& command, std::string& plan, std::string& shard) {
    CLI::Option* const whole = command.add_option(
        "--plan", plan,
        "Kernels of your own on their data, crossed with devices, launches and release patterns "
        "(XML, docs/how-to/spread-runs.md); each point is recorded in the campaign");
    whole->needs("--campaign");
    for (const char* other :
         {"--suite", "--benchmark", "--list", "--limits", "--module", "--repetitions", "--warm-up",
          "--stop", "--time-cap", "--seed", "--draw", "--policy"})
        whole->excludes(other);
    if (CLI::Option* const report = command.get_option_no_throw("--report"))
        whole->excludes(report);
    add_shard(command, shard, whole);
}

} // namespace

void add_measure(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<MeasureOptions>();
    CLI::App* command =
        app.add_subcommand("measure", "Run microbenchmarks on a device and record every sample");
    command->add_option("--device", options->device, "Device from `devices`");
    command->add_option("--suite", options->suite, "Suite to run");
    command->add_option("--benchmark", options->benchmarks, "Benchmark to run; may be repeated");
    command->add_flag("--list", options->list, "List suites and benchmarks");
    [[maybe_unused]] CLI::Option* campaign =
        command->add_option("--campaign", options->campaign,
                            "Record every sample in this campaign; resumes it if it exists");
#ifdef WARPBOUND_HAS_ANALYZER
    command
        ->add_option("--report", options->report,
                     "Write a report on the campaign (HTML): plots, convergence, drift, run "
                     "anomalies")
        ->needs(campaign);
#endif
    options->protocol.add_to(*command);
    add_policy(*command, options->policy);
    add_format(*command, options->format, {"text", "json", "csv"});
    CLI::Option* limits = command->add_flag(
        "--limits", options->limits,
        "Find the largest launches that the device accepts, by binary search: threads of a block, "
        "blocks, registers, shared memory");
    // Finding limits measures no times.
    for (const char* other : {"--suite", "--benchmark", "--campaign", "--repetitions", "--warm-up",
                              "--stop", "--time-cap", "--seed", "--draw"})
        limits->excludes(other);
    CLI::Option* code = command->add_option(
        "--code", options->code,
        "Print the code of the benchmarks for a target and run nothing: PTX of sm_80, AMD's "
        "assembly of gfx90a, HIP C++ of hip:gfx90a");
    for (const char* other : {"--device", "--suite", "--campaign", "--limits", "--repetitions",
                              "--warm-up", "--stop", "--time-cap", "--seed", "--draw", "--format"})
        code->excludes(other);
    options->kernel.add_to(*command);
    add_plan(*command, options->plan, options->shard);
    command->footer(
        "Example: warpbound measure --device simulated:fermi-gtx470 --benchmark dependent-add\n"
        "           --repetitions 500 --campaign fermi.db\n"
        "         warpbound measure --module app.cubin --kernel blur --grid 64,64 --block 16,16\n"
        "           --arg in=buffer:f32:1024x1024:random,seed=1 --arg "
        "out=buffer:f32:1024x1024:zero\n"
        "           --arg n=1024 --device cuda:0 --release warm --release idle:100ms\n"
        "         warpbound measure --module app.cubin --kernel blur --grid 64,64 --block 16,16\n"
        "           --arg 0=buffer:f32:4096:iota --device cuda:0 --release periodic:10ms\n"
        "           --co-runner app.cubin:copy --co-runner-grid 256 --co-runner-block 256\n"
        "           --co-runner-arg 0=buffer:f32:65536:zero");
    command->callback([options, command, &invocation] {
        for (const char* name : {"--policy", "--seed", "--draw"})
            if (command->get_option(name)->count() > 0) options->of_simulated.emplace_back(name);
        invocation.run = [options] {
            const StopScope scope = watch_for_interrupt();
            return run(*options);
        };
    });
}

} // namespace warpbound::cli
