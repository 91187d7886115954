/// \file
/// `warpbound analyze`: bounds a kernel's time, compares with observations, writes the report.

#include "analyzer/analyze.hpp"

#include "assembly/support/stop_token.hpp"
#include "certification/report/report.hpp"
#include "certification/report/wording.hpp"
#include "cli/bounds/launch_analysis.hpp"
#include "cli/output/next_step.hpp"
#include "cli/output/report_file.hpp"
#include "cli/prediction/voudouris.hpp"
#include "cli/program/command.hpp"
#include "cli/simulation/workload_run.hpp"
#include "harness/devices/simulated.hpp"
#include "models/formulas/prediction/transfers.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace warpbound::cli {

namespace {

namespace voudouris = models::voudouris;

struct AnalyzeOptions : AnalysisOptions {
    std::string campaign;
    std::vector<std::string> outputs;
    std::string draw = "uniform";
    std::string format = "text";
    std::string launch_cost; ///< Empty: not asked for.
    std::vector<std::string> transfers;
    std::int64_t runs = 0;
    std::optional<double> time_limit;
};

/// Adds every series of the campaign with this kernel, launch and machine.
Result<void> add_campaign(certification::Report& report, const AnalyzeOptions& options,
                          const LoadedLaunch& inputs, const harness::DeviceIdentity& device) {
    auto campaign = harness::Campaign::open_existing(options.campaign);
    if (!campaign) return campaign.as_failure();
    const auto series = campaign.value()->list();
    if (!series) return series.as_failure();
    std::size_t compared = 0;
    for (const auto& entry : series.value()) {
        if (entry.key.kernel_digest != inputs.kernel->program.digest ||
            entry.key.name != inputs.kernel->function->name ||
            entry.key.launch != models::to_string(inputs.launch))
            continue;
        if (entry.key.device_detail != device.detail) {
            note("warpbound: {}: not compared: {} runs of {} on {} ({}), this machine is {}\n",
                 options.campaign, entry.runs, entry.key.name, entry.key.device,
                 entry.key.device_detail, device.detail);
            continue;
        }
        if (entry.key.facts_digest != inputs.kernel->facts.digest)
            note("warpbound: {}: series {} was recorded with other flow facts\n", options.campaign,
                 entry.id);
        const auto samples = campaign.value()->samples(entry.id);
        if (!samples) return samples.as_failure();
        // A run without end may have exceeded its bound: unknown.
        if (auto checked =
                harness::check_anomalies(entry.key, samples.value(), harness::counted_runs);
            !checked)
            return Failure{to_string(checked.error()), options.campaign};
        certification::add_observations(report, entry.key, samples.value());
        ++compared;
    }
    if (compared == 0)
        return Failure{
            fmt::format(
                "the campaign holds no runs of kernel '{}' of {} with launch {} on this machine",
                inputs.kernel->function->name, options.launch.kernel.file,
                models::to_string(inputs.launch)),
            options.campaign};
    report.inputs.push_back({"campaign", options.campaign, ""});
    return boost::outcome_v2::success();
}

/// Runs the kernel on the simulated device and adds the observations, and how many runs are missing
/// when they were stopped.
Result<void> add_simulation(certification::Report& report, const AnalyzeOptions& options,
                            const LoadedLaunch& inputs, const harness::Device& device) {
    const LoadedKernel& kernel = *inputs.kernel;
    const harness::Kernel launched = inputs.launched();
    const harness::Protocol protocol = protocol_of(options.runs, options.seed, options.draw);
    std::vector<harness::Quantity> quantities{harness::Quantity::ExecutionTime};
    if (clock_reads(*kernel.function) == 2) quantities.push_back(harness::Quantity::Region);
    for (const auto quantity : quantities) {
        ProgressBar bar{"simulating " + quantity_name(quantity)};
        const harness::SeriesKey key =
            series_key(kernel.program, launched, device.identity(), protocol, quantity);
        const auto measured = harness::measure(device, launched, key, protocol, quantity, nullptr,
                                               worker_threads(), bar.callback(), stop_requested);
        if (!measured) return measured.as_failure();
        certification::add_observations(report, key, measured.value().samples);
        if (!measured.value().complete()) {
            report.undecided.push_back(fmt::format(
                "simulation of the {} stopped after {} of {} runs", quantity_name(quantity),
                measured.value().samples.size(), options.runs));
            break;
        }
    }
    return boost::outcome_v2::success();
}

/// Adds the published formula's best, average and worst time, or why it does not apply.
void add_estimates(certification::Report& report, const LoadedLaunch& inputs,
                   const analyzer::Analysis& analysis) {
    const LoadedKernel& kernel = *inputs.kernel;
    certification::ReportEstimate estimate;
    estimate.model = "voudouris";
    estimate.quantity = "execution-time";
    estimate.source = "Voudouris 2014, eq. 1-11, section 7.1";
    const auto refused = [&](const Failure& failure) {
        estimate.variant = "all";
        estimate.refusal = to_string(failure);
        report.estimates.push_back(estimate);
    };
    if (!analysis.execution_time.upper.terms.empty()) // Warps hide each other's latencies.
        return refused(Failure{inputs.launch.blocks > 1 || inputs.launch.warps_per_block() > 1
                                   ? "it models one warp; the launch has several"
                                   : "it models no queueing between memory accesses"});
    const auto parameters = voudouris_parameters("", inputs.architecture);
    if (!parameters) return refused(parameters.error());
    const auto profile_along =
        [&](const analyzer::SideResult& side) -> Result<voudouris::ProfiledWarp> {
        if (side.path.empty())
            return Failure{"the path is longer than 1,000,000 blocks, or the analysis found none",
                           kernel.function->name};
        const auto steps =
            models::steps_along(*kernel.function, kernel.graph, side.path, kernel.facts);
        if (!steps) return steps.as_failure();
        return voudouris::profile_of(steps.value(), parameters.value());
    };
    const auto best = profile_along(analysis.execution_time.lower);
    if (!best) return refused(best.error());
    const auto worst = profile_along(analysis.execution_time.upper);
    if (!worst) return refused(worst.error());
    const auto best_times =
        voudouris::time_of(best.value().counts, models::Cycles{0}, parameters.value());
    const auto worst_times =
        voudouris::time_of(worst.value().counts, worst.value().hidden_latency, parameters.value());
    const auto add = [&](const std::string& variant, double value,
                         const voudouris::ProfiledWarp& profile, models::Cycles hidden) {
        estimate.variant = variant;
        estimate.value = value;
        estimate.inputs.clear();
        for (const auto& symbol : voudouris::explain(profile.counts, hidden, parameters.value()))
            estimate.inputs.push_back(
                {symbol.symbol, fmt::format("{}", symbol.value), symbol.unit, symbol.source});
        report.estimates.push_back(estimate);
    };
    add("best", best_times.best.value(), best.value(), models::Cycles{0});
    add("average", worst_times.average.value(), worst.value(), worst.value().hidden_latency);
    add("worst", worst_times.worst.value(), worst.value(), models::Cycles{0});
}

/// Host operations around the launch: copies to the device before it, copies to the host after it.
Result<std::optional<analyzer::HostTimeline>> host_timeline(const AnalyzeOptions& options) {
    if (options.launch_cost.empty()) return std::optional<analyzer::HostTimeline>{};
    analyzer::HostTimeline stream;
    const auto cost = read_launch_cost(options.launch_cost);
    if (!cost) return cost.as_failure();
    if (cost.value()) stream.launch_cost = {cost.value()->lo, std::nullopt, cost.value()->hi};
    for (const auto& text : options.transfers) {
        const auto copy = models::prediction::parse_copy(text);
        if (!copy) return copy.as_failure();
        const bool to_device =
            copy.value().direction == models::prediction::CopyDirection::HostToDevice;
        models::HostOperation operation;
        operation.kind = to_device ? models::HostOperationKind::CopyToDevice
                                   : models::HostOperationKind::CopyToHost;
        operation.bytes = copy.value().bytes;
        (to_device ? stream.before : stream.after).push_back(operation);
    }
    return std::optional{stream};
}

Exit run(const AnalyzeOptions& options, const StopScope& scope) {
    for (const auto& path : options.outputs)
        if (!report_format_of(path)) {
            say("warpbound: {}: a report file ends in .html, .xml, .json or .txt\n", path);
            return Exit::Usage;
        }
    if (!options.campaign.empty())
        for (const auto& path : options.outputs)
            if (auto checked = check_output(path, options.campaign); !checked)
                return refuse(checked.error());
    const auto inputs = load_launch(options.launch);
    if (!inputs) return refuse(inputs.error());
    auto planned = analysis_of(options, inputs.value());
    if (!planned) return refuse(planned.error());
    analyzer::Request& request = planned.value().request;
    auto host = host_timeline(options);
    if (!host) return refuse(host.error());
    request.host = std::move(host).value();
    // Simulated runs satisfy the stated facts only, not derived infeasible paths.
    request.follow_branches = options.runs == 0 && options.campaign.empty();
    const auto analysis = analyzer::analyze(request);
    if (!analysis) return refuse(analysis.error());
    certification::Report report =
        report_of(options, inputs.value(), planned.value(), analysis.value(), scope);
    add_estimates(report, inputs.value(), analysis.value());

    if (!options.campaign.empty() || options.runs > 0) {
        const auto device = harness::simulated_device(inputs.value().architecture, request.policy,
                                                      request.multiprocessors);
        if (!options.campaign.empty()) {
            const auto added = add_campaign(report, options, inputs.value(), device->identity());
            if (!added) return refuse(added.error());
        }
        if (options.runs > 0) {
            const auto added = add_simulation(report, options, inputs.value(), *device);
            if (!added) return refuse(added.error());
        }
    }
    for (const auto& path : options.outputs) {
        const Exit written = write_result(render_report(report, *report_format_of(path)), path);
        if (written != Exit::Holds) return written;
        note("warpbound: wrote {}\n", path);
    }
    const Exit written = write_result(render_report(report, options.format));
    if (written != Exit::Holds) return written;
    suggest(certify_command(options) + " -o evidence");
    const std::string verdict = certification::verdict_of(report);
    if (verdict == "refuted" || verdict == "violated") return Exit::Violated;
    return verdict == "undecided" ? Exit::Undecided : Exit::Holds;
}

} // namespace

void add_analyze(CLI::App& app, Invocation& invocation) {
    auto options = std::make_shared<AnalyzeOptions>();
    CLI::App* command = app.add_subcommand(
        "analyze", "Bound a kernel's time from its assembly and compare with observed times");
    options->add_to(*command);
    add_time_limit(*command, options->time_limit,
                   "the best bound proved so far is reported, and the runs made");
    CLI::Option* cost = add_launch_cost(*command, options->launch_cost,
                                        "; also bounds the time from the host's first call to the "
                                        "end of its last operation");
    command
        ->add_option("--transfer", options->transfers,
                     "host-to-device=BYTES (before the launch) or device-to-host=BYTES (after it): "
                     "a copy in the launch's stream; may be repeated")
        ->needs(cost)
        ->allow_extra_args(false);
    command->add_option(
        "--campaign", options->campaign,
        "Compare with the runs recorded in this campaign; the analysis then uses stated flow facts "
        "only, no derived infeasible paths");
    command
        ->add_option(
            "--runs", options->runs,
            "Number of runs on the simulated device to compare with; the analysis then uses stated "
            "flow facts only, no derived infeasible paths")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{100'000'000}))
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of the runs and of the solver")
        ->check(refusal_of_whole_number)
        ->capture_default_str();
    add_draw(*command, options->draw);
    add_threads(*command);
    command->add_option("-o,--output", options->outputs,
                        "Report file: .html, .xml, .json or .txt; may be repeated");
    add_format(*command, options->format, {"text", "json", "xml", "html"});
    command->footer(
        "Example: warpbound analyze examples/convolution/sm_75.sass --kernel convolution_rows\n"
        "           --architecture turing-t4 --launch 1x32 --runs 500\n"
        "           --flow-facts examples/convolution/sm_75.rows.flow-facts.xml -o rows.html");
    command->callback([options, &invocation] {
        invocation.run = [options] {
            const StopScope scope = watch_for_interrupt(options->time_limit);
            return run(*options, scope);
        };
    });
}

} // namespace warpbound::cli
